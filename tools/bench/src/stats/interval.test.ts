import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianInterval, quantile } from './interval.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, at) => count - at);

test('the interval of nine values is the second to the eighth and covers 96 %', () => {
  const { coverage, ...interval } = medianInterval(upTo(9))!;
  assert.deepEqual(interval, { median: 5, low: 2, high: 8 });
  assert.equal(coverage.toFixed(3), '0.961');
});

test('with more values the interval is narrower and covers as much', () => {
  const of18 = medianInterval(upTo(18))!;
  const of36 = medianInterval(upTo(36))!;
  assert.deepEqual([of18.low, of18.high], [5, 14]);
  assert.deepEqual([of36.low, of36.high], [12, 25]);
  for (const { coverage } of [of18, of36]) assert.ok(coverage >= 0.95 && coverage < 1, `${coverage}`);
  assert.equal(of18.median, 9.5);
});

test('five values are too few for an interval; for six it is their whole range', () => {
  assert.equal(medianInterval(upTo(5)), undefined);
  const of6 = medianInterval(upTo(6))!;
  assert.deepEqual([of6.low, of6.high], [1, 6]);
});

test('a quantile lies between its neighbours', () => {
  assert.equal(quantile([4, 1, 3, 2], 0.5), 2.5);
  assert.equal(quantile(upTo(101), 0.95), 96);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});
