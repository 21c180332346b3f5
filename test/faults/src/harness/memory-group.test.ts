import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { run } from '@recording-request/fixtures/run';
import { manifestMemory, openMemoryGroup } from './memory-group.ts';

const MIB = 1024 ** 2;

test('a process in a group sees the limit and is killed above it, and the group counts the kill', async t => {
  await using group = await openMemoryGroup(`test-${randomUUID()}`, 128);
  if (!group) return t.skip('this machine does not allow a cgroup with a limit');
  const node = (script: string) => run(...group.wrap(process.execPath, ['-e', script]));
  assert.equal(Number(await node('console.log(process.constrainedMemory())')), 128 * MIB, 'the process sees the limit');
  assert.equal(await group.kills(), 0, 'no process below the limit was killed');
  const tooMuch = 'const all = []; while (all.length < 40) all.push(Buffer.alloc(10 * 1024 ** 2, 1));';
  await assert.rejects(node(tooMuch), 'a process with 400 MiB is killed');
  assert.equal(await group.kills(), 1);
  assert.ok(group.peakMiB <= group.limitMiB, `${group.peakMiB} MiB`);
});

test('the manifest of every limited service has a memory limit', async () => {
  for (const service of ['gateway', 'submissions', 'projects', 'media'] as const)
    assert.ok((await manifestMemory(service)) >= 256, service);
});
