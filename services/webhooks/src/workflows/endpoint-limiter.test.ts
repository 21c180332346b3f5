import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlots } from './endpoint-limiter.ts';

test('an endpoint gets its share and no more, and the whole is bounded', () => {
  const slots = createSlots({ total: 5, perEndpoint: 3 });
  const taken = ['a', 'a', 'a', 'a', 'b', 'b', 'b'].map(endpoint => slots.take(endpoint));
  assert.deepEqual(
    taken.map(slot => slot !== undefined),
    [true, true, true, false, true, true, false],
  );
  assert.equal(slots.inUse(), 5);
});

test('a failed endpoint gets one slot until it does well', () => {
  const slots = createSlots({ total: 10, perEndpoint: 3 });
  slots.take('a')!.release('failed');
  const only = slots.take('a')!;
  assert.equal(slots.take('a'), undefined);
  only.release('well');
  assert.ok(slots.take('a') && slots.take('a') && slots.take('a'));
});

test('failed and slow endpoints never take the half that is for the others', () => {
  const slots = createSlots({ total: 8, perEndpoint: 8 });
  for (let i = 0; i < 6; i += 1) slots.take(`dead${i}`)!.release('failed');
  slots.take('slow')!.release('slow');
  const dead = Array.from({ length: 6 }, (_, i) => slots.take(`dead${i}`)).filter(slot => slot !== undefined);
  assert.equal(dead.length, 4);
  assert.equal(slots.take('slow'), undefined);
  const well = Array.from({ length: 5 }, () => slots.take('well')).filter(slot => slot !== undefined);
  assert.equal(well.length, 4);
});

test('a release tells who was refused', () => {
  const slots = createSlots({ total: 2, perEndpoint: 1 });
  const a = slots.take('a')!;
  slots.take('a');
  assert.deepEqual(a.release('well'), { same: true, others: false });
  const b = slots.take('b')!;
  slots.take('c');
  slots.take('d');
  assert.deepEqual(b.release('well'), { same: false, others: true });
  assert.equal(slots.inUse(), 1);
});
