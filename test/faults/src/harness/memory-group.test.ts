import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { run } from '@recording-request/fixtures/run';
import { manifestMemory, openMemoryGroup } from './memory-group.ts';

const MIB = 1024 ** 2;

test('a process in a group sees the limit and dies beyond it, and the group says so', async t => {
  await using group = await openMemoryGroup(`test-${randomUUID()}`, 128);
  if (!group) return t.skip('this machine lets nobody make a cgroup with a limit');
  const node = (script: string) => run(...group.wrap(process.execPath, ['-e', script]));
  assert.equal(
    Number(await node('console.log(process.constrainedMemory())')),
    128 * MIB,
    'the limit is seen from inside',
  );
  assert.equal(await group.kills(), 0, 'nothing was killed that stayed below it');
  const tooMuch = 'const all = []; while (all.length < 40) all.push(Buffer.alloc(10 * 1024 ** 2, 1));';
  await assert.rejects(node(tooMuch), 'what takes 400 MiB does not end well');
  assert.equal(await group.kills(), 1);
  assert.ok(group.peakMiB <= group.limitMiB, `${group.peakMiB} MiB`);
});

test('the manifest of every service with a limit here gives one', async () => {
  for (const service of ['gateway', 'submissions', 'projects', 'media'] as const)
    assert.ok((await manifestMemory(service)) >= 256, service);
});
