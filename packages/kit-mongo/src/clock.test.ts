import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from './clock.ts';

/** A server's clock that is `aheadMs` ahead of the ticks, and takes `delayMs` to answer. */
async function startClock(aheadMs: number, delayMs: number) {
  const world = { ticks: 1_000, aheadMs, delayMs };
  const ask = async () => {
    const shown = new Date(world.ticks + world.aheadMs);
    world.ticks += world.delayMs;
    return shown;
  };
  const clock = await createClock(ask, () => world.ticks);
  const assertRight = (withinMs: number) => {
    const behindMs = world.ticks + world.aheadMs - clock.now().getTime();
    assert.ok(behindMs >= 0 && behindMs <= withinMs, `the clock is ${behindMs} ms behind the server`);
  };
  return { world, clock, assertRight };
}

test('a clock shows the server’s time, then advances by its ticks, and is never ahead', async () => {
  const { world, assertRight } = await startClock(10_000, 20);
  assertRight(25);
  world.ticks += 30_000;
  assertRight(40);
});

test('a clock follows a server whose clock was set', async () => {
  const { world, clock, assertRight } = await startClock(10_000, 20);
  for (const aheadMs of [-5_000, 60_000]) {
    world.ticks += 30_000;
    world.aheadMs = aheadMs;
    await clock.refresh();
    assertRight(25);
  }
});

test('the answer of a suspended server does not move the clock', async () => {
  const { world, clock, assertRight } = await startClock(0, 20);
  world.delayMs = 8_000;
  await clock.refresh();
  assertRight(40);
});
