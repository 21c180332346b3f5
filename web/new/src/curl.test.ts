import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { creationCommand, quoted } from './curl.ts';

test('a shell reads every text unchanged', () => {
  const text = `it's "$HOME" \`id\` \\ ! ü\nnew line`;
  assert.equal(execFileSync('sh', ['-c', `printf %s ${quoted(text)}`], { encoding: 'utf8' }), text);
});

test('the command sends the body and reads the token from a variable', () => {
  const body = { projectName: "Ada's", count: 1 };
  const command = creationCommand('https://record.example', body, 'key-1');
  // `printf` in place of curl prints its arguments.
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const words = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { RECORDING_TOKEN: 'api_x' } }).split('\0');
  assert.deepEqual(words.slice(0, 3), ['--fail-with-body', 'https://record.example/api/projects', '-H']);
  assert.ok(words.includes('Authorization: Bearer api_x'));
  assert.ok(words.includes('Idempotency-Key: key-1'));
  assert.deepEqual(JSON.parse(words.at(-2)!), body);
});
