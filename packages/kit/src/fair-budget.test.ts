import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairBudget } from './fair-budget.ts';

test('an owner may hold at most as much as it leaves free; a newcomer may take the rest', () => {
  const budget = createFairBudget(100);
  const [a, b] = [budget.of('a'), budget.of('b')];
  assert.ok(a.take(40));
  assert.equal(a.take(30), false, '70 held, 60 left before');
  assert.equal(budget.free, 60, 'a refused amount is not taken');
  assert.ok(a.take(10));
  assert.equal(a.take(10), false);
  assert.ok(b.take(50));
  assert.equal(b.take(1), false);
  budget.of('a').giveBack(50);
  assert.equal(budget.free, 50);
  b.giveBack(50);
  assert.equal(budget.free, budget.limit);
});
