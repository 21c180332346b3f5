import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlightCache } from './flight-cache.ts';

test('concurrent calls share one look-up', async () => {
  const cache = new FlightCache<number>({ ttlMs: 1000, maxEntries: 10 });
  const { promise, resolve } = Promise.withResolvers<number>();
  let loads = 0;
  const load = () => {
    loads++;
    return promise;
  };
  const requested = Promise.all([cache.get('a', load), cache.get('a', load), cache.get('a', load)]);
  resolve(7);
  assert.deepEqual(await requested, [7, 7, 7]);
  assert.equal(loads, 1);
});

test('an entry expires after the given time, counted from the start of its look-up', async () => {
  let now = 1;
  const cache = new FlightCache<number>({ ttlMs: 5_000, maxEntries: 10, now: () => now });
  let value = 1;
  const { promise, resolve } = Promise.withResolvers<number>();
  const requested = cache.get('a', () => promise);
  now += 1_000;
  resolve(value);
  await requested;
  value = 2;
  now += 3_999;
  assert.equal(await cache.get('a', async () => value), 1);
  now += 2;
  assert.equal(await cache.get('a', async () => value), 2);
});

test('a failure is not cached', async () => {
  const cache = new FlightCache<number>({ ttlMs: 1000, maxEntries: 10 });
  await assert.rejects(cache.get('a', async () => Promise.reject(new Error('down'))));
  assert.equal(await cache.get('a', async () => 3), 3);
});

test('a full cache drops its oldest entry', async () => {
  const cache = new FlightCache<string>({ ttlMs: 1000, maxEntries: 2 });
  for (const key of ['a', 'b', 'c']) await cache.get(key, async () => key);
  assert.equal(cache.size, 2);
  assert.equal(await cache.get('a', async () => 'again'), 'again');
  assert.equal(await cache.get('c', async () => 'again'), 'c');
});

test('a call with `since` ignores a look-up that began before that time', async () => {
  let now = 1_000;
  const cache = new FlightCache<number>({ ttlMs: 5_000, maxEntries: 10, now: () => now });
  const { promise, resolve } = Promise.withResolvers<number>();
  const early = cache.get('a', () => promise);
  now += 100;
  const later = cache.get('a', async () => 2, 1_050);
  resolve(1);
  assert.deepEqual(await Promise.all([early, later]), [1, 2], 'even while that look-up is still running');
  assert.equal(await cache.get('a', async () => 3, 1_100), 2);
  assert.equal(await cache.get('a', async () => 3, 1_101), 3);
});
