import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '@recording-request/stack/random';
import { shuffled } from './order.ts';

const ITEMS = Array.from({ length: 16 }, (_, at) => at);

test('the seed determines the order of the drills', () => {
  const order = (seed: string) => shuffled(ITEMS, createRandom(seed));
  assert.deepEqual(order('a'), order('a'));
  assert.notDeepEqual(order('a'), order('b'));
  assert.deepEqual(
    order('a').toSorted((a, b) => a - b),
    ITEMS,
  );
});
