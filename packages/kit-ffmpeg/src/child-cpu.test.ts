import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { childSecondsIn, meterCpu } from './child-cpu.ts';

const BURN = 'const until = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < until);';
const TELL = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1e6);';

/** The CPU seconds that were metered, and what the process itself had counted before it ended. */
interface Seconds {
  metered: number;
  told: number;
}

/** Runs Node with `code`, which ends or is killed once it has told its seconds. */
async function secondsOf(code: string, { isKilled = false } = {}): Promise<Seconds> {
  const stays = isKilled ? 'setInterval(() => {}, 1e6);' : '';
  const child = spawn(process.execPath, ['-e', `${code} ${TELL} ${stays}`], { stdio: ['ignore', 'pipe', 'ignore'] });
  const endMeter = meterCpu();
  const exited = once(child, 'exit');
  const [told] = await once(child.stdout, 'data');
  if (isKilled) child.kill('SIGKILL');
  await exited;
  return { metered: endMeter()!, told: Number(told) };
}

/** Beside what the process told: it also ends, and the system counts in steps. */
function expectOwn({ metered, told }: Seconds): void {
  assert.ok(metered >= told - 0.03 && metered <= 1.5 * told + 0.1, `metered ${metered} s, told ${told} s`);
}

test('the CPU seconds of a child are known once it has ended, and are its own', async () => {
  const burnt = await secondsOf(BURN);
  assert.ok(burnt.told >= 0.3);
  expectOwn(burnt);
  const endMeter = meterCpu();
  await once(spawn('true'), 'exit');
  assert.ok(endMeter()! < burnt.metered / 2, 'not those of the one before');
});

test('a child that nobody metered is in the figure of none that begins after it', async () => {
  assert.equal(spawnSync(process.execPath, ['-e', BURN]).status, 0);
  expectOwn(await secondsOf(''));
});

test('also of a child that was killed', async () => {
  expectOwn(await secondsOf(BURN, { isKilled: true }));
});

test('a line of the system is read behind a name of any form', () => {
  const fields = Array.from({ length: 50 }, (_, at) => String(at + 3));
  assert.equal(childSecondsIn(`12 (a) (b c) ${fields.join(' ')}`), (16 + 17) / 100);
});
