import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from './clock.ts';

/** A server's clock that is `aheadMs` ahead of the ticks, and answers after `delayMs`. */
async function startClock(aheadMs: number, delayMs: number) {
  const world = { ticks: 1_000, aheadMs, delayMs };
  const ask = async () => {
    world.ticks += world.delayMs / 2;
    const shown = new Date(world.ticks + world.aheadMs);
    world.ticks += world.delayMs / 2;
    return shown;
  };
  const clock = await createClock(ask, () => world.ticks);
  return { world, clock, errorMs: () => clock.now().getTime() - (world.ticks + world.aheadMs) };
}

test('a clock shows what the server shows, and goes on by the ticks alone', async () => {
  const { world, errorMs } = await startClock(10_000, 20);
  assert.equal(errorMs(), 0);
  world.ticks += 60_000;
  assert.equal(errorMs(), 0);
});

test('a clock follows a server whose clock was set', async () => {
  const { world, clock, errorMs } = await startClock(10_000, 20);
  world.ticks += 30_000;
  world.aheadMs = -5_000;
  await clock.refresh();
  assert.equal(errorMs(), 0);
});

test('an answer of a server that stood still does not move the clock', async () => {
  const { world, clock } = await startClock(0, 20);
  const before = clock.now().getTime() - world.ticks;
  world.delayMs = 8_000;
  // What it shows is wrong, as far as anybody can tell by half of the delay.
  world.aheadMs = 4_000;
  await clock.refresh();
  assert.equal(clock.now().getTime() - world.ticks, before);
});
