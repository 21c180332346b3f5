import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutTokenChecks } from './costs.ts';

test('checks of the token are no part of the cost of a request, but its own reads of the user are', () => {
  const operations = { 'projects hashes find': 0.2, 'projects tokens find': 0.2, 'projects users find': 1.2 };
  const cost = { 'MongoDB operations': operations, RPCs: {}, 'Kafka records': {}, 'store requests': {} };
  const rest = withoutTokenChecks(cost)['MongoDB operations'];
  assert.deepEqual(rest, { 'projects hashes find': 0, 'projects tokens find': 0, 'projects users find': 1 });
});
