import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createByteBudget, memoryLimit } from './memory-limit.ts';

const GiB = 1024 ** 3;

test('the limit is that of the container, or the memory of the machine where there is none below it', () => {
  assert.equal(memoryLimit(GiB, 16 * GiB), GiB);
  assert.equal(memoryLimit(0, 16 * GiB), 16 * GiB, 'no limit, as cgroup v2 reports it');
  assert.equal(memoryLimit(2 ** 64, 16 * GiB), 16 * GiB, 'no limit, as cgroup v1 reports it');
  assert.ok(memoryLimit() > 0);
});

test('a budget lends no more than it has, and lends again what came back', () => {
  const budget = createByteBudget(100);
  assert.ok(budget.take(60));
  assert.equal(budget.take(41), false);
  assert.equal(budget.free, 40, 'what was refused is not taken');
  assert.ok(budget.take(40));
  budget.giveBack(60);
  assert.equal(budget.free, 60);
});
