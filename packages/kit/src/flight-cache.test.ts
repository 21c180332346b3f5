import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlightCache } from './flight-cache.ts';

test('those that ask at once share one flight', async () => {
  const cache = new FlightCache<number>({ ttlMs: 1000, maxEntries: 10 });
  const { promise, resolve } = Promise.withResolvers<number>();
  let loads = 0;
  const load = () => {
    loads++;
    return promise;
  };
  const asked = Promise.all([cache.get('a', load), cache.get('a', load), cache.get('a', load)]);
  resolve(7);
  assert.deepEqual(await asked, [7, 7, 7]);
  assert.equal(loads, 1);
});

test('nothing is believed for longer than the time given, counted from the start of the look-up', async () => {
  let now = 1;
  const cache = new FlightCache<number>({ ttlMs: 5_000, maxEntries: 10, now: () => now });
  let value = 1;
  const { promise, resolve } = Promise.withResolvers<number>();
  const asked = cache.get('a', () => promise);
  now += 1_000;
  resolve(value);
  await asked;
  value = 2;
  now += 3_999;
  assert.equal(await cache.get('a', async () => value), 1);
  now += 2;
  assert.equal(await cache.get('a', async () => value), 2);
});

test('a failure is not remembered', async () => {
  const cache = new FlightCache<number>({ ttlMs: 1000, maxEntries: 10 });
  await assert.rejects(cache.get('a', async () => Promise.reject(new Error('down'))));
  assert.equal(await cache.get('a', async () => 3), 3);
});

test('the oldest goes when there are too many', async () => {
  const cache = new FlightCache<string>({ ttlMs: 1000, maxEntries: 2 });
  for (const key of ['a', 'b', 'c']) await cache.get(key, async () => key);
  assert.equal(cache.size, 2);
  assert.equal(await cache.get('a', async () => 'again'), 'again');
  assert.equal(await cache.get('c', async () => 'again'), 'c');
});

test('who asks for what was so at a moment is not told of a look-up that began before it', async () => {
  let now = 1_000;
  const cache = new FlightCache<number>({ ttlMs: 5_000, maxEntries: 10, now: () => now });
  const { promise, resolve } = Promise.withResolvers<number>();
  const early = cache.get('a', () => promise);
  now += 100;
  const later = cache.get('a', async () => 2, 1_050);
  resolve(1);
  assert.deepEqual(await Promise.all([early, later]), [1, 2], 'not even where it is still under way');
  assert.equal(await cache.get('a', async () => 3, 1_100), 2);
  assert.equal(await cache.get('a', async () => 3, 1_101), 3);
});
