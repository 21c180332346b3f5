import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLogger } from '@recording-request/kit/log';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { followDatabase } from '../src/clock.ts';
import { createLease } from '../src/lease.ts';

const TEN_SECONDS = 10_000;
const DAY = 24 * 60 * 60_000;

/** Sets this process's clock wrong by `aheadMs`. Returns a function that returns the true time. */
function setClock(t: TestContext, aheadMs: number): () => number {
  t.mock.timers.reset();
  const startedAt = Date.now() - performance.now();
  const trueTime = () => startedAt + performance.now();
  t.mock.timers.enable({ apis: ['Date'], now: trueTime() + aheadMs });
  return trueTime;
}

test('a process ten seconds ahead or behind cannot take a held lease, and can take a released one', async t => {
  await using stores = testStores(testEnvironment());
  const connection = await stores.database('kit');
  const [first, second] = [createLease(connection, 'work', 3_000), createLease(connection, 'work', 3_000)];
  assert.equal(await first.hold(), true);
  for (const aheadMs of [TEN_SECONDS, -TEN_SECONDS]) {
    setClock(t, aheadMs);
    assert.equal(await second.hold(), false, `taken from its holder by a process ${aheadMs} ms ahead`);
  }
  await first.release();
  assert.equal(await second.hold(), true, 'a process that is behind takes the free lease');
  t.mock.timers.reset();
  assert.equal(await first.hold(), false, 'and renews it');
});

test('a lease that a wrong database clock extended far ahead can be taken once no process renews it', async () => {
  await using stores = testStores(testEnvironment());
  const connection = await stores.database('kit');
  const leaseMs = 300;
  const [left, next] = [createLease(connection, 'work', leaseMs), createLease(connection, 'work', leaseMs)];
  const leases = connection.db!.collection<{ _id: string; until: Date }>('leases');
  const setAhead = () => leases.updateOne({ _id: 'work' }, { $set: { until: new Date(Date.now() + DAY) } });

  assert.equal(await left.hold(), true);
  await setAhead();
  const end = performance.now() + 5 * leaseMs;
  while (performance.now() < end) {
    assert.equal(await left.hold(), true, 'the holder keeps the lease while it renews it');
    assert.equal(await next.hold(), false, 'and no other process takes it');
  }
  await until('another process takes the lease of a dead one', () => next.hold(), { limitMs: 20 * leaseMs });
  assert.ok(
    (await leases.findOne({ _id: 'work' }))!.until.getTime() < Date.now() + DAY / 2,
    'the lease has the right end again',
  );
  assert.equal(await left.hold(), false);
});

test('a process whose own clock is wrong shows the database’s time', async t => {
  await using stores = testStores(testEnvironment());
  const connection = await stores.database('kit');
  for (const aheadMs of [TEN_SECONDS, -TEN_SECONDS]) {
    const trueTime = setClock(t, aheadMs);
    const clock = await followDatabase(connection, createLogger('test', 'silent'));
    const errorMs = Math.abs(clock.now().getTime() - trueTime());
    await clock.stop();
    assert.ok(errorMs < 1_000, `the clock is wrong by ${errorMs} ms`);
  }
});
