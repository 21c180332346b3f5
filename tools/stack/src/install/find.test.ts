import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../testing/temp-dir.ts';
import { ensureDebian } from './debian.ts';
import { ensure } from './ensure.ts';
import { run, StepFailedError } from './run.ts';

const quiet = () => {};

async function executable(dir: string, name: string): Promise<string> {
  const file = join(dir, name);
  await writeFile(file, '#!/bin/sh\nexit 0\n');
  await chmod(file, 0o755);
  return file;
}

test('takes a server from its variable first, then from PATH', async () => {
  await using dir = await tempDir();
  const onPath = await executable(dir.path, 'mongod');
  const named = await executable(dir.path, 'my-mongod');
  const env = { PATH: dir.path, RECORDING_REQUEST_CACHE: join(dir.path, 'cache') };
  assert.equal((await ensure(['mongo'], quiet, { env: { ...env, MONGOD_BIN: named } })).mongo, named);
  assert.equal((await ensure(['mongo'], quiet, { env })).mongo, onPath);
});

test('refuses a variable that names no program', async () => {
  await assert.rejects(ensure(['s3'], quiet, { env: { PATH: '', MINIO_BIN: '/nowhere' } }), /MINIO_BIN does not name/);
  const env = { PATH: process.env.PATH, KAFKA_LIBS: '/nowhere' };
  await assert.rejects(ensure(['kafka'], quiet, { env }), /KAFKA_LIBS does not name/);
});

test('says what to install on a machine without apt', async () => {
  await assert.rejects(ensureDebian(['flite'], quiet, { env: { PATH: '' } }), /apt-get install flite/);
});

test('ends a step that takes too long, with its children', async () => {
  const slow = run('sh', ['-c', 'sleep 60 & echo begun; wait'], { what: 'waiting', log: quiet, timeoutMs: 3_000 });
  await assert.rejects(slow, (error: Error) => {
    assert.ok(error instanceof StepFailedError);
    assert.match(error.message, /waiting failed: sh took longer than 3 s\.\nbegun/);
    return true;
  });
});

test('a long step reports that it still runs', async () => {
  const lines: string[] = [];
  const progress = (count: number, last: string) => `${count} lines, ${last}`;
  const script = ['-c', 'echo one; echo two; read x < /dev/null; sleep 1'];
  await run('sh', script, {
    what: 'counting',
    log: line => lines.push(line),
    timeoutMs: 9_000,
    progress,
    everyMs: 100,
  });
  assert.match(lines.join('\n'), /… counting: \d+ s, 2 lines, two/);
});
