import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '../stats/random.ts';
import { closedLoop } from './closed-loop.ts';
import { arrivals, openLoop } from './open-loop.ts';

test('a closed loop runs at most one request per lane, and counts each completed one', async () => {
  let [running, most, done] = [0, 0, 0];
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await delay(5);
    running -= 1;
    done += 1;
  };
  const { count, seconds } = await closedLoop(work, { lanes: 3, isEnough: (sofar, time) => sofar > 0 && time > 0.3 });
  assert.equal(most, 3);
  assert.equal(count, done);
  assert.equal(running, 0);
  assert.ok(seconds >= 0.3);
});

test('a closed loop stops every lane at the first error', async () => {
  let done = 0;
  const work = async (lane: number) => {
    await delay(5);
    done += 1;
    if (lane === 1 && done > 4) throw new Error('503');
  };
  await assert.rejects(closedLoop(work, { lanes: 2, isEnough: () => false }), /503/);
  const then = done;
  await delay(30);
  assert.equal(done, then, 'no request follows the error');
});

test('an open loop sends on time while earlier requests are unanswered', async () => {
  const sentAt: number[] = [];
  let release = () => {};
  const gate = new Promise<void>(resolve => {
    release = resolve;
  });
  const work = async (at: number) => {
    sentAt.push(at);
    if (at === 3) release();
    await gate;
  };
  await openLoop(work, { times: [0, 5, 10, 15] });
  assert.deepEqual(sentAt, [0, 1, 2, 3]);
});

test('the latency of a request that is sent late includes the delay', async () => {
  const block = () => {
    const until = performance.now() + 60;
    while (performance.now() < until);
  };
  const work = async (at: number) => {
    if (at === 0) block();
  };
  const [, second] = await openLoop(work, { times: [0, 10] });
  assert.ok(second!.latencyMs >= 49, `from the intended time it took 50 ms, not ${second!.latencyMs}`);
});

test('an open loop rejects with the first error once all have ended', async () => {
  let ended = 0;
  const work = async (at: number) => {
    await delay(at === 0 ? 1 : 20);
    ended += 1;
    if (at === 0) throw new Error('refused');
  };
  await assert.rejects(openLoop(work, { times: [0, 1, 2] }), /refused/);
  assert.equal(ended, 3);
});

test('arrivals have the rate, are independent of each other, and repeat with the same random numbers', () => {
  const times = arrivals(60, 1_000_000, randomFrom(7));
  assert.deepEqual(times, arrivals(60, 1_000_000, randomFrom(7)));
  assert.ok(Math.abs(times.length - 1_000) < 100, `60 a minute were ${times.length} in 1,000 s`);
  const gaps = times.slice(1).map((time, at) => time - times[at]!);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
  assert.ok(Math.abs(deviation / mean - 1) < 0.15, 'the deviation of exponential gaps equals their mean');
});
