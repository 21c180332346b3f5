import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { cpuSecondsIn, meterCpu } from './child-cpu.ts';

const BURN = 'const until = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < until);';
const REPORT = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1e6);';

/** A child's CPU seconds: as metered, and as the child counted them before its end. */
interface Seconds {
  metered: number;
  counted: number;
}

/** Runs Node with `code`. The process prints its CPU seconds, then ends or is killed. */
async function secondsOf(code: string, { isKilled = false } = {}): Promise<Seconds> {
  const stays = isKilled ? 'setInterval(() => {}, 1e6);' : '';
  const child = spawn(process.execPath, ['-e', `${code} ${REPORT} ${stays}`], { stdio: ['ignore', 'pipe', 'ignore'] });
  const endMeter = meterCpu();
  const exited = once(child, 'exit');
  const [counted] = await once(child.stdout, 'data');
  if (isKilled) child.kill('SIGKILL');
  await exited;
  return { metered: endMeter()!, counted: Number(counted) };
}

/** Allows for the CPU time of the child's exit, and for the resolution of the system's counters. */
function expectOwn({ metered, counted }: Seconds): void {
  assert.ok(metered >= counted - 0.03 && metered <= 1.5 * counted + 0.1, `metered ${metered} s, counted ${counted} s`);
}

test('the meter of a child returns that child’s CPU seconds', async () => {
  const burnt = await secondsOf(BURN);
  assert.ok(burnt.counted >= 0.3);
  expectOwn(burnt);
  const endMeter = meterCpu();
  await once(spawn('true'), 'exit');
  assert.ok(endMeter()! < burnt.metered / 2, 'without the seconds of the previous child');
});

test('the CPU seconds of an unmetered child do not count for a later one', async () => {
  assert.equal(spawnSync(process.execPath, ['-e', BURN]).status, 0);
  expectOwn(await secondsOf(''));
});

test('the meter of a killed child returns its CPU seconds', async () => {
  expectOwn(await secondsOf(BURN, { isKilled: true }));
});

test('the seconds are found after a process name of any form', () => {
  const fields = Array.from({ length: 50 }, (_, at) => String(at + 3));
  const seconds = cpuSecondsIn(`12 (a) (b c) ${fields.join(' ')}`);
  assert.deepEqual(seconds, { own: (14 + 15) / 100, children: (16 + 17) / 100 });
});
