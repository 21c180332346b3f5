import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlots } from './slots.ts';

const never = new AbortController().signal;

test('no more callers at once than the limit, the others in order', async () => {
  const slots = createSlots(2);
  const order: string[] = [];
  const note = (admitted: Disposable, name: string) => {
    order.push(name);
    return admitted;
  };
  const [one, two] = [await slots.acquire(never), await slots.acquire(never)];
  const three = slots.acquire(never).then(admitted => note(admitted, 'three'));
  const four = slots.acquire(never).then(admitted => note(admitted, 'four'));
  await new Promise(setImmediate);
  assert.deepEqual(order, []);
  two[Symbol.dispose]();
  const third = await three;
  assert.deepEqual(order, ['three']);
  one[Symbol.dispose]();
  const fourth = await four;
  third[Symbol.dispose]();
  fourth[Symbol.dispose]();
  using _fifth = await slots.acquire(never);
});

test('a caller that stops waiting is not admitted', async () => {
  const slots = createSlots(1);
  const first = await slots.acquire(never);
  const gone = new AbortController();
  const waiting = slots.acquire(gone.signal);
  gone.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  const next = slots.acquire(never);
  first[Symbol.dispose]();
  using _next = await next;
  await assert.rejects(slots.acquire(AbortSignal.abort(new Error('before'))), /before/);
});

test('one who does not want to wait is admitted only where there is room', async () => {
  const slots = createSlots(1);
  const first = slots.tryAcquire()!;
  assert.equal(slots.tryAcquire(), undefined);
  const waiting = slots.acquire(never);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  assert.equal(slots.tryAcquire(), undefined, 'the room is for the one that waits');
  (await waiting)[Symbol.dispose]();
  assert.ok(slots.tryAcquire());
});
