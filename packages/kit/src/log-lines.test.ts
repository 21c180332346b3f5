import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const LOG = import.meta.resolve('./log.ts');

/** Starts a process that has two loggers. */
function start(script: string) {
  const source = `
    import { createLogger } from ${JSON.stringify(LOG)};
    const [log, other] = [createLogger('probe', 'info'), createLogger('probe', 'info')];
    ${script}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['ignore', 'pipe', 'ignore'] });
}

const messages = (lines: string): unknown[] =>
  lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line).msg);

for (const [how, script] of [
  ['ends', ''],
  ['exits at once', 'process.exit(3);'],
  ['fails', "throw new Error('it failed');"],
  ['fails later', "await null; queueMicrotask(() => { throw new Error('it failed'); });"],
] as const)
  test(`a process that ${how} writes all of its lines in order`, async () => {
    const child = start(`log.info('one'); other.warn('two'); log.fatal('three'); other.info('four'); ${script}`);
    const [lines] = await Promise.all([text(child.stdout), once(child, 'close')]);
    assert.deepEqual(messages(lines), ['one', 'two', 'three', 'four']);
  });

test('many lines are written complete and in order', async () => {
  const count = 20_000;
  const child = start(`for (let i = 0; i < ${count}; i += 1) (i % 2 ? log : other).info(String(i));`);
  const [lines] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.deepEqual(
    messages(lines),
    Array.from({ length: count }, (_, i) => String(i)),
  );
});

test('lines are written while the process runs', async () => {
  const child = start("log.info('one'); setInterval(() => {}, 60_000);");
  const [chunk] = await once(child.stdout, 'data');
  assert.deepEqual(messages(String(chunk)), ['one']);
  child.kill('SIGKILL');
  await once(child, 'close');
});
