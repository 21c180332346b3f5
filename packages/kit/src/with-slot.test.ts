import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairSlots } from './fair-slots.ts';
import { withSlot } from './with-slot.ts';

test('work waits for a slot, is refused when the queue is full, and returns its slot after a failure', async () => {
  const slots = createFairSlots(2, { queued: 2 });
  const { signal } = new AbortController();
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const work = async () => {
    running++;
    most = Math.max(most, running);
    await new Promise<void>(resolve => ends.push(resolve));
    running--;
    throw new Error('failed');
  };
  const first = withSlot(slots, 'a', signal, work);
  const second = withSlot(slots, 'a', signal, work);
  await assert.rejects(withSlot(slots, 'a', signal, work), { code: 'unavailable', retryAfterSec: 2 });
  for (const each of [first, second]) {
    while (ends.length === 0) await new Promise(setImmediate);
    ends.shift()!();
    await assert.rejects(each, /failed/);
  }
  assert.equal(most, 1, 'one owner has half of the slots');
  assert.equal(slots.used(), 0);
});
