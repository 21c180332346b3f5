import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import { createStampCache, type Stamp } from './stamp-cache.ts';

const stamp = (text: string, restedMs = 5_000): Map<string, Stamp> => new Map([['a', { text, restedMs }]]);

function counting() {
  const computed: string[] = [];
  const compute = async (keys: string[]) => {
    computed.push(...keys);
    return new Map(keys.map(key => [key, `${key} ${computed.length}`]));
  };
  return { computed, compute };
}

test('a value is computed once for each stamp, and again once it is old', async () => {
  let now = 1;
  const cache = createStampCache<string>({ maxAgeMs: 1_000, ticks: () => now });
  const { computed, compute } = counting();
  const get = async (text: string) => (await cache.get(['a'], stamp(text), compute)).get('a');
  assert.equal(await get('1'), 'a 1');
  assert.equal(await get('1'), 'a 1');
  assert.equal(await get('2'), 'a 2', 'the rows of the value have changed');
  now = 1_002;
  assert.equal(await get('2'), 'a 3', 'the maximum age covers a change that no stamp showed');
  assert.equal(computed.length, 3);
});

test('a value that has just changed or has no stamp is not cached', async () => {
  const cache = createStampCache<string>({ restMs: 2_000 });
  const { computed, compute } = counting();
  for (const stamps of [stamp('1', 1_999), stamp('1', 1_999), new Map(), stamp('1', 2_000), stamp('1', 2_000)])
    await cache.get(['a'], stamps, compute);
  assert.equal(computed.length, 4);
});

test('the cache stays within its size, and only missing values are computed', async () => {
  const cache = createStampCache<string>({ max: 2 });
  const { computed, compute } = counting();
  const stamps = new Map(['a', 'b', 'c'].map(key => [key, { text: '1', restedMs: 5_000 }]));
  await cache.get(['a', 'b'], stamps, compute);
  assert.deepEqual([...(await cache.get(['a', 'b', 'c'], stamps, compute)).keys()], ['a', 'b', 'c']);
  assert.deepEqual(computed, ['a', 'b', 'c']);
  await cache.get(['b', 'a'], stamps, compute);
  assert.deepEqual(computed, ['a', 'b', 'c', 'a']);
});

test('concurrent callers for a changed value share a computation that begins after their calls', async () => {
  const cache = createStampCache<number>();
  let begun = 0;
  const ends: Array<() => void> = [];
  const compute = async ([key]: string[]) => {
    const value = ++begun;
    await new Promise<void>(resolve => ends.push(resolve));
    return new Map([[key!, value]]);
  };
  const ask = () => cache.get(['a'], stamp('1', 100), compute);
  const first = ask();
  const others = Array.from({ length: 20 }, ask);
  for (const at of [0, 1]) {
    await until('a computation has begun', () => ends.length > at);
    ends[at]!();
  }
  assert.equal((await first).get('a'), 1);
  for (const values of await Promise.all(others)) assert.equal(values.get('a'), 2);
  assert.equal(begun, 2);
});
