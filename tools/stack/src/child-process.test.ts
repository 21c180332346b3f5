import assert from 'node:assert/strict';
import { pbkdf2 } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { startChild } from './child-process.ts';
import { tempDir } from './testing/temp-dir.ts';

/**
 * Until disposal, keeps the threads for file operations so busy that each file operation waits for tens of
 * milliseconds.
 */
function busyDisk(): Disposable {
  let busy = true;
  const turn = () => {
    if (busy) pbkdf2('', '', 50_000, 64, 'sha512', turn);
  };
  for (let threads = 0; threads < 4; threads++) turn();
  return {
    [Symbol.dispose]: () => {
      busy = false;
    },
  };
}

test('notices the end of a child that exits at once', { timeout: 30_000 }, async () => {
  await using dir = await tempDir();
  using _busy = busyDisk();
  for (let times = 0; times < 5; times++) {
    const logFile = join(dir.path, `${times}.log`);
    const child = await startChild({ name: 'brief', command: 'sh', args: ['-c', 'exit 9'], env: process.env, logFile });
    assert.deepEqual(await child.exited, { code: 9, signal: null });
    assert.deepEqual(child.exit, { code: 9, signal: null });
  }
});

test('reports a command that cannot start', async () => {
  await using dir = await tempDir();
  const options = { name: 'nothing', command: 'sh', args: [], env: process.env, logFile: join(dir.path, 'log') };
  await assert.rejects(
    startChild({ ...options, cwd: join(dir.path, 'missing') }),
    /^Error: nothing could not be started: /,
  );
});
