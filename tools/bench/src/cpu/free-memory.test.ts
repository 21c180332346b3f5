import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepFreeMemory } from './free-memory.ts';

const MiB = 1024 ** 2;

test('of free memory what became free since is taken, also where the file has been read to its end', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bench-memory-'));
  try {
    const free = [8, 3, 11, 3, 3, 3].map(each => each * MiB);
    await using memory = await keepFreeMemory(dir, { freeBytes: () => free.shift()!, totalBytes: 10 * MiB });
    const { signal } = new AbortController();
    // The second time 4 MiB are read from 8 MiB on, of which the file has 2.
    const taken = [await memory.take(signal), await memory.take(signal), await memory.take(signal)];
    assert.deepEqual(
      taken.map(bytes => bytes / MiB),
      [8, 10, 0],
    );
    await assert.rejects(async () => {
      free.push(20 * MiB);
      await memory.take(AbortSignal.abort());
    }, /aborted/);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

test('the machine tells how much of its memory is free', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bench-memory-'));
  try {
    await using memory = await keepFreeMemory(dir);
    await assert.rejects(memory.take(AbortSignal.abort(new Error('ended'))), /ended/, 'there is some to take');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
