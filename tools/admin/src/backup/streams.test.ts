import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeWhole } from './streams.ts';

let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'recording-request-streams-'));
});
after(() => rm(dir, { recursive: true, force: true }));

test('keeps nothing of an object that disappears during the copy', async () => {
  async function* cut() {
    yield Buffer.from('the beginning');
    throw new Error('it is gone');
  }
  await assert.rejects(writeWhole(join(dir, 'video.webm'), cut()), /it is gone/);
  assert.deepEqual(await readdir(dir), []);
});
