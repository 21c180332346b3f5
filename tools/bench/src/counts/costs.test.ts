import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutTokenChecks } from './costs.ts';
import { medianOf, totalOf, without } from './difference.ts';

test('checks of the token are no part of the cost of a request, but its own reads of the user are', () => {
  const operations = { 'projects hashes find': 0.2, 'projects tokens find': 0.2, 'projects users find': 1.2 };
  const cost = { 'MongoDB operations': operations, RPCs: {}, 'Kafka records': {}, 'store requests': {} };
  const rest = withoutTokenChecks(cost)['MongoDB operations'];
  assert.deepEqual(rest, { 'projects hashes find': 0, 'projects tokens find': 0, 'projects users find': 1 });
});

const costOf = (operations: Record<string, number>) => ({
  'MongoDB operations': operations,
  ...{ RPCs: {}, 'Kafka records': {}, 'store requests': {} },
});

test('background work of one round does not count, and idle work that varies adds nothing', () => {
  const rounds = [costOf({ find: 2 }), costOf({ find: 2, sweep: 9 }), costOf({ find: 3, other: 1 })];
  assert.deepEqual(medianOf(rounds)['MongoDB operations'], { find: 2, sweep: 0, other: 0 });
  const rest = without(costOf({ find: 2, often: 3 }), costOf({ often: 1, seldom: 1 }), 2);
  assert.deepEqual(rest['MongoDB operations'], { find: 2, often: 1, seldom: -2 });
  assert.equal(totalOf(rest, 'MongoDB operations'), 1);
});
