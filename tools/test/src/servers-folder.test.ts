import assert from 'node:assert/strict';
import { mkdir, mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { serversFolder } from './servers-folder.ts';

const ENOUGH_BYTES = 64 * 2 ** 30;

test('keeps the servers’ data in memory if there is room, else on the disk', async () => {
  await using memory = await mkdtempDisposable(join(tmpdir(), 'servers-folder-'));
  await using disk = await mkdtempDisposable(join(tmpdir(), 'servers-folder-'));
  const parent = async (places: { memory: string; availableBytes: number }) => {
    await using folder = await serversFolder({ disk: disk.path, ...places });
    return dirname(folder.path);
  };
  assert.equal(await parent({ memory: memory.path, availableBytes: ENOUGH_BYTES }), memory.path);
  assert.equal(await parent({ memory: memory.path, availableBytes: 2 ** 30 }), disk.path);
  assert.equal(await parent({ memory: join(memory.path, 'none'), availableBytes: ENOUGH_BYTES }), disk.path);
});

test('removes the folder of a killed run, and keeps that of a running one', async () => {
  await using memory = await mkdtempDisposable(join(tmpdir(), 'servers-folder-'));
  const used = `recording-request-test-${process.pid}-a`;
  // No process has an id above Linux's maximum.
  for (const name of [used, 'recording-request-test-4194305-b', 'of-somebody-else'])
    await mkdir(join(memory.path, name));
  await using folder = await serversFolder({ memory: memory.path, disk: memory.path, availableBytes: ENOUGH_BYTES });
  const left = (await readdir(memory.path)).filter(name => !folder.path.endsWith(name));
  assert.deepEqual(left.toSorted(), ['of-somebody-else', used]);
});
