import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createByteBudget, createByteQueue, memoryLimit } from './memory-limit.ts';

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

test('work waits for its bytes in the order in which it came, also when the work before it fails', async () => {
  const queue = createByteQueue(100);
  const began: string[] = [];
  const gate = Promise.withResolvers<void>();
  const step = (name: string, bytes: number) =>
    queue.run(bytes, async () => {
      began.push(name);
      await gate.promise;
    });
  const first = step('first', 80);
  const second = step('more than there is', 1_000);
  const third = step('third', 10);
  await Promise.resolve();
  assert.deepEqual(began, ['first'], 'the third fits, and is not let past the second');
  gate.reject(new Error('failed'));
  await Promise.allSettled([first, second, third]);
  assert.deepEqual(began, ['first', 'more than there is', 'third']);
  assert.equal(await queue.run(100, async () => 'free again'), 'free again');
});
