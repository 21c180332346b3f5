import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, judgeSelf, type Round } from './goal.ts';

const rounds = (ratios: number[]): Round[] =>
  ratios.map((ratio, at) => ({ product: { rate: ratio * (at + 1) }, peer: { rate: at + 1 } }));
const goal = { text: 'rate', metric: 'rate', of: 'product', to: 'peer' };
const NINE = [0.98, 1.05, 1.06, 1.07, 1.08, 1.09, 1.1, 1.11, 1.4];

test('a goal is met when the whole interval meets it', () => {
  const { verdict, median, interval } = judge({ ...goal, atLeast: 1 }, rounds(NINE));
  assert.equal(verdict, 'met');
  assert.equal(median.toFixed(2), '1.08');
  assert.deepEqual([interval?.low.toFixed(2), interval?.high.toFixed(2)], ['1.05', '1.11']);
});

test('a goal is missed when no part of the interval meets it, and otherwise undecided', () => {
  assert.equal(judge({ ...goal, atLeast: 1.2 }, rounds(NINE)).verdict, 'missed');
  assert.equal(judge({ ...goal, atLeast: 1.08 }, rounds(NINE)).verdict, 'undecided');
  assert.equal(judge({ ...goal, atMost: 1.04 }, rounds(NINE)).verdict, 'missed');
  assert.equal(judge({ ...goal, atMost: 1.11 }, rounds(NINE)).verdict, 'met');
});

test('the ratio is computed within a round, so that a machine that slows down changes nothing', () => {
  const slowing = [1000, 400, 200, 100, 80, 60, 50, 40, 20].map(speed => ({
    product: { rate: 1.1 * speed },
    peer: { rate: speed },
  }));
  const { interval } = judge({ ...goal, atLeast: 1 }, slowing);
  assert.ok(interval!.high - interval!.low < 1e-9);
});

test('fewer than six rounds have no verdict', () => {
  assert.equal(judge({ ...goal, atLeast: 1 }, rounds(NINE.slice(0, 5))).verdict, 'too few');
});

test('a value without another variant is judged directly', () => {
  const each = Array.from({ length: 9 }, (_, at) => ({ product: { ms: 100 + at } }));
  assert.equal(judge({ text: 'ms', metric: 'ms', of: 'product', atMost: 120 }, each).verdict, 'met');
});

test('a goal with several variants to compare with uses their mean', () => {
  const each = Array.from({ length: 9 }, () => ({ on: { ms: 105 }, off: { ms: 90 }, 'off again': { ms: 110 } }));
  const { median, verdict } = judge(
    { text: 'ms', metric: 'ms', of: 'on', to: ['off', 'off again'], atMost: 1.05 },
    each,
  );
  assert.deepEqual([median, verdict], [1.05, 'met']);
});

test('the product equals itself when the interval contains 1.00 and lies within ± 5 %', () => {
  const around = (low: number, high: number) =>
    judgeSelf(goal, rounds([low, low, low, 1, 1, 1, high, high, high])).verdict;
  assert.equal(around(0.97, 1.04), 'met');
  assert.equal(around(0.97, 1.06), 'undecided');
  assert.equal(around(0.94, 1.02), 'undecided');
  assert.equal(judgeSelf(goal, rounds(Array(9).fill(1.01))).verdict, 'undecided');
});

test('when many ratios of the product to itself must contain 1.00, a deviation by chance in nine rounds is accepted', () => {
  const once = rounds([0.99, 1.01, 1.01, 1.01, 1.01, 1.02, 1.02, 1.02, 1.02]);
  assert.equal(judgeSelf(goal, once).verdict, 'undecided');
  assert.equal(judgeSelf(goal, once, 10).verdict, 'met');
  assert.equal(judgeSelf(goal, rounds(Array(9).fill(1.01)), 10).verdict, 'undecided');
  assert.equal(judgeSelf(goal, rounds([0.9, 0.94, 1, 1, 1, 1, 1, 1, 1]), 10).verdict, 'undecided');
});

test('the error names a variant without the metric', () => {
  assert.throws(() => judge({ ...goal, metric: 'cpuMs' }, rounds(NINE)), /product was not measured for cpuMs/);
});

test('an optional goal without a figure in any round is not measured', () => {
  const { verdict } = judge({ ...goal, metric: 'elsewhere', atLeast: 1, optional: true }, rounds(NINE));
  assert.equal(verdict, 'not measured');
  assert.throws(() => judge({ ...goal, metric: 'elsewhere' }, rounds(NINE)), /was not measured for elsewhere/);
});
