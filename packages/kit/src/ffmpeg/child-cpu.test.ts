import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { childSecondsIn, meterCpu } from './child-cpu.ts';

const BURN = 'const until = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < until);';

/** Resolves to the CPU seconds of a Node process that runs `code`. */
function secondsOf(code: string, onLine?: (kill: () => void) => void): Promise<number | undefined> {
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  meterCpu(child, resolve);
  child.stdout.once('data', () => onLine?.(() => child.kill('SIGKILL')));
  return promise;
}

test('the CPU seconds of a child are known once it has ended, and are its own', async () => {
  const burnt = await secondsOf(BURN);
  assert.ok(burnt! >= 0.3 && burnt! < 2, `${burnt} s`);
  const idle = spawn('true');
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  meterCpu(idle, resolve);
  await once(idle, 'close');
  assert.ok((await promise)! < 0.1, 'not those of the one before');
});

test('a child that nobody metered is in the figure of none that begins after it', async () => {
  assert.equal(spawnSync(process.execPath, ['-e', BURN]).status, 0);
  assert.ok((await secondsOf(''))! < 0.25);
});

test('also of a child that was killed', async () => {
  const seconds = await secondsOf(`${BURN} console.log('burnt'); setInterval(() => {}, 1e6)`, kill => kill());
  // On a busy machine Node alone takes more than a second to start.
  assert.ok(seconds! >= 0.3 && seconds! < 5, `${seconds} s`);
});

test('a line of the system is read behind a name of any form', () => {
  const fields = Array.from({ length: 50 }, (_, at) => String(at + 3));
  assert.equal(childSecondsIn(`12 (a) (b c) ${fields.join(' ')}`), (16 + 17) / 100);
});
