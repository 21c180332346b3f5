import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const DEADLINE = import.meta.resolve('./deadline.ts');

async function runWith(milliseconds: number, script: string): Promise<{ code: number; messages: string }> {
  const child = spawn(process.execPath, ['--import', DEADLINE, '--eval', script], {
    env: { ...process.env, TEST_FILE_MS: String(milliseconds) },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 60_000,
  });
  const [messages, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code, messages };
}

test('ends a test file that a handle keeps alive, and reports the handle', async () => {
  const { code, messages } = await runWith(100, "require('node:net').createServer().listen(0, '127.0.0.1')");
  assert.equal(code, 1);
  assert.match(messages, /^The test file has not ended after 0\.1 s\. Open handles: .*TCPServerWrap/);
});

test('does not keep a finished test file alive', async () => {
  assert.deepEqual(await runWith(3_600_000, ''), { code: 0, messages: '' });
});
