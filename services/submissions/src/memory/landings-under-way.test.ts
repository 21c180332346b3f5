import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLandingsUnderWay } from './landings-under-way.ts';

const MIB = 1024 ** 2;

/** Returns the bytes of memory in use. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

test('a request waits for its landing for its time at most, and no longer once the service stops', async () => {
  const landings = createLandingsUnderWay(MIB);
  const { promise: endless, reject } = Promise.withResolvers<undefined>();
  await landings.waitFor(Promise.resolve(undefined), 60_000);
  await landings.waitFor(Promise.reject(new Error('the landing is retried')), 60_000);
  await landings.waitFor(endless, 5);
  const waiting = landings.waitFor(endless, 60_000);
  landings.hurry();
  await waiting;
  await landings.waitFor(endless, 60_000);
  reject(new Error('the landing is retried'));
});

test('answered requests leave nothing in memory', async () => {
  const landings = createLandingsUnderWay(MIB);
  const answer = async (requests: number) => {
    for (let request = 0; request < requests; request++)
      await landings.waitFor(
        landings.once(`${request}`, async () => undefined),
        60_000,
      );
  };
  await answer(1_000);
  const before = heapBytes();
  await answer(30_000);
  const grown = heapBytes() - before;
  assert.ok(grown < 2 * MIB, `${grown} bytes`);
});
