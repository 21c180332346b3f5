import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestSystem } from './test-system.ts';

test('a failed start of a system leaves no folder and names the failed service', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'half-way-'));
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    const env = { KAFKA_PARTITIONS: 'many' };
    await assert.rejects(startTestSystem({ env }), ({ cause }: Error) =>
      /KAFKA_PARTITIONS must be/.test(String(cause)),
    );
    assert.deepEqual(await readdir(folder), []);
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await rm(folder, { recursive: true, force: true });
  }
});
