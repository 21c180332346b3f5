import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConcurrencyLimiter } from './concurrency-limiter.ts';

const never = new AbortController().signal;

test('no more callers at once than the limit, the others in order', async () => {
  const limiter = createConcurrencyLimiter(2);
  const order: string[] = [];
  const note = (admitted: Disposable, name: string) => {
    order.push(name);
    return admitted;
  };
  const [one, two] = [await limiter.acquire(never), await limiter.acquire(never)];
  const three = limiter.acquire(never).then(admitted => note(admitted, 'three'));
  const four = limiter.acquire(never).then(admitted => note(admitted, 'four'));
  await new Promise(setImmediate);
  assert.deepEqual(order, []);
  two[Symbol.dispose]();
  const third = await three;
  assert.deepEqual(order, ['three']);
  one[Symbol.dispose]();
  const fourth = await four;
  third[Symbol.dispose]();
  fourth[Symbol.dispose]();
  using _fifth = await limiter.acquire(never);
});

test('a caller that stops waiting is not admitted', async () => {
  const limiter = createConcurrencyLimiter(1);
  const first = await limiter.acquire(never);
  const gone = new AbortController();
  const waiting = limiter.acquire(gone.signal);
  gone.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  const next = limiter.acquire(never);
  first[Symbol.dispose]();
  using _next = await next;
  await assert.rejects(limiter.acquire(AbortSignal.abort(new Error('before'))), /before/);
});
