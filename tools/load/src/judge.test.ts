import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICES } from '@recording-request/stack/service-plan';
import { judgeRun, judgeStep } from './judge.ts';
import type { Cpu } from './measure/cpu.ts';
import type { Memory } from './measure/memory.ts';
import { AWAITED, type Latency, type TallyResult } from './measure/tally.ts';
import type { StepResult } from './step.ts';

const MIB = 1024 ** 2;
const latency = (p50: number, p95: number, count = 100): Latency => ({ count, p50, p95, p99: p95 });
const tallyOf = (each: Latency, more: Partial<TallyResult> = {}): TallyResult => ({
  ...{ requests: 1_000, errors: {}, shed: {}, latencies: Object.fromEntries(AWAITED.map(name => [name, each])) },
  ...more,
});
const use = { start: 90 * MIB, highest: 120 * MIB, end: 100 * MIB, early: 100 * MIB, late: 101 * MIB };
const flat = Object.fromEntries(SERVICES.map(name => [name, use])) as Memory;

const step = (more: Partial<StepResult> = {}): StepResult => ({
  ...{ percent: 50, clipsPerMinute: 30, minutes: 10, clips: 300, tally: tallyOf(latency(40, 90)), memory: flat },
  ...{ cpu: { cores: Object.fromEntries(SERVICES.map(name => [name, 0.1])) as Cpu['cores'], foreign: 0 }, waiting: {} },
  ...{ rest: { seconds: 3, left: '' }, recovery: undefined },
  ...more,
});
const overload = (recovery: TallyResult, tally = tallyOf(latency(400, 900))) => step({ percent: 150, tally, recovery });
const states = (of: StepResult, before?: StepResult) => judgeStep(of, before).map(({ state }) => state);

test('a step below the capacity keeps its promises: no errors, no lag soon after, flat memory', () => {
  assert.deepEqual(states(step()), ['kept', 'kept', 'kept']);
});

test('below the capacity, an error or a refusal with Retry-After breaks a promise', () => {
  for (const more of [{ errors: { 'PATCH: 500': 2 } }, { shed: { 'PATCH: 503': 1 } }]) {
    const [requests] = judgeStep(step({ tally: tallyOf(latency(40, 90), more) }), undefined);
    assert.equal(requests!.state, 'broken');
    assert.match(requests!.why, /no error was expected; there were: \d × PATCH: 50[03]/);
  }
});

test('a lag that does not return to 0 in time breaks a promise', () => {
  assert.deepEqual(states(step({ rest: { seconds: 61, left: '' } })), ['kept', 'broken', 'kept']);
  const [, never] = judgeStep(step({ rest: { seconds: undefined, left: '3 clips are not complete' } }), undefined);
  assert.match(never!.why, /expected all work to be done; 3 clips are not complete/);
});

test('growing memory breaks a promise, and is not judged in a short step', () => {
  const memory = { ...flat, gateway: { ...use, late: 150 * MIB } };
  const [, , found] = judgeStep(step({ memory }), undefined);
  assert.equal(found!.state, 'broken');
  assert.match(found!.why, /gateway grew from 100 to 150 MiB/);
  assert.deepEqual(states(step({ memory, minutes: 1 })), ['kept', 'kept', 'not judged']);
});

test('above the capacity, refusals are permitted if they have Retry-After', () => {
  const shedding = tallyOf(latency(40, 90), { shed: { 'PATCH: 503': 9 } });
  assert.deepEqual(states(overload(tallyOf(latency(45, 95)), shedding), step()), ['kept', 'kept', 'kept']);
  const mute = tallyOf(latency(40, 90), { errors: { 'PATCH: 503 without Retry-After': 1 } });
  assert.equal(states(overload(tallyOf(latency(45, 95)), mute), step())[0], 'broken');
});

test('after an overload, all awaited operations must be as fast as before', () => {
  const [, , found] = judgeStep(overload(tallyOf(latency(45, 500))), step());
  assert.equal(found!.state, 'broken');
  assert.match(found!.why, /recording page p95 500 ms, at most 380 is normal/);
  assert.equal(states(overload(tallyOf(latency(45, 95), { shed: { 'PATCH: 503': 1 } })), step())[2], 'broken');
});

test('a recovery is not judged without a step to compare with, or with few samples', () => {
  assert.equal(states(overload(tallyOf(latency(45, 95))))[2], 'not judged');
  assert.equal(states(overload(tallyOf(latency(45, 95, 19))), step())[2], 'not judged');
});

test('a missing clip or a service that ended breaks a promise of the run', () => {
  const all = judgeRun(['the take 1 exists 0 times, not once'], ['media ended by itself (SIGKILL)']);
  assert.deepEqual(
    all.map(({ state }) => state),
    ['broken', 'broken'],
  );
  assert.deepEqual(
    judgeRun([], []).map(({ state }) => state),
    ['kept', 'kept'],
  );
});
