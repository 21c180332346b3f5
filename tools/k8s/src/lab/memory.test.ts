import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { waitFor } from '@recording-request/stack/wait';
import { heldBytes, watchMemory } from './memory.ts';

const statOf = (cache: number, shmem: number) =>
  `cache 1\nrss 2\nshmem 3\ntotal_cache ${cache}\ntotal_rss 0\ntotal_shmem ${shmem}\n`;

test('counts files in memory, but not cached files', () => {
  assert.equal(heldBytes('1000\n', statOf(700, 200)), 500);
});

test('names a missing figure', () => {
  assert.throws(() => heldBytes('1000\n', 'cache 1\n'), /memory\.stat has no total_cache/);
});

test('returns the highest value of all samples as the peak', async () => {
  await using group = await tempDir();
  const hold = async (bytes: number) => {
    await writeFile(join(group.path, 'memory.stat'), statOf(100, 0));
    await writeFile(join(group.path, 'memory.usage_in_bytes'), `${bytes}\n`);
  };
  await hold(900);
  using watch = watchMemory(group.path);
  const reaches = (bytes: number) =>
    waitFor(`a peak of ${bytes}`, async () => watch.peak === bytes || undefined, { timeoutMs: 10_000 });
  await reaches(800);
  await hold(2_000);
  await reaches(1_900);
});
