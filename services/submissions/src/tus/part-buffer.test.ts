import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairBudget } from '@recording-request/kit/fair-budget';
import { FIRST_ROOM_BYTES, PartBuffer } from './part-buffer.ts';

const KiB = 1024;

test('the room of a buffer grows with its bytes up to one part, and is returned', () => {
  const budget = createFairBudget(4_096 * KiB);
  const buffer = new PartBuffer(budget.of('o'), 1_024 * KiB);
  assert.equal(buffer.add(Buffer.alloc(10 * KiB, 'a')), 10 * KiB);
  assert.equal(budget.free, 4_096 * KiB, 'a slow writer has no more than what it was admitted with');
  assert.equal(buffer.add(Buffer.alloc(2_000 * KiB, 'b')), 1_014 * KiB);
  assert.ok(buffer.isFull);
  assert.equal(budget.free, 4_096 * KiB - (1_024 * KiB - FIRST_ROOM_BYTES));
  const bytes = buffer.view();
  assert.deepEqual([bytes.length, bytes.toString('latin1', 10 * KiB - 1, 10 * KiB + 1)], [1_024 * KiB, 'ab']);
  buffer.shrink();
  assert.deepEqual([buffer.length, budget.free], [0, 4_096 * KiB]);
});

test('when most of the budget is lent, a buffer keeps its room, and the rest is for requests that start', () => {
  const budget = createFairBudget(1_024 * KiB);
  const [first, second] = ['a', 'b'].map(owner => new PartBuffer(budget.of(owner), 512 * KiB)) as [
    PartBuffer,
    PartBuffer,
  ];
  assert.equal(first.add(Buffer.alloc(512 * KiB)), 512 * KiB);
  assert.equal(second.add(Buffer.alloc(512 * KiB)), 256 * KiB, 'a smaller part');
  assert.ok(budget.free >= 256 * KiB, 'a quarter stays for new requests');
});
