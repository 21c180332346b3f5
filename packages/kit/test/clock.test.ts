import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { createLogger } from '../src/log.ts';
import { followDatabase } from '../src/mongo/clock.ts';
import { createLease } from '../src/mongo/lease.ts';

const TEN_SECONDS = 10_000;

/** Sets this process's clock off the true time, which is returned. */
function setClock(t: TestContext, aheadMs: number): () => number {
  t.mock.timers.reset();
  const startedAt = Date.now() - performance.now();
  const trueTime = () => startedAt + performance.now();
  t.mock.timers.enable({ apis: ['Date'], now: trueTime() + aheadMs });
  return trueTime;
}

test('a lease is held against processes ten seconds ahead or behind, and is free when it is released', async t => {
  await using stores = testStores(testEnvironment());
  const connection = await stores.database('kit');
  const [first, second] = [createLease(connection, 'work', 3_000), createLease(connection, 'work', 3_000)];
  assert.equal(await first.hold(), true);
  for (const aheadMs of [TEN_SECONDS, -TEN_SECONDS]) {
    setClock(t, aheadMs);
    assert.equal(await second.hold(), false, `taken from its holder by a process ${aheadMs} ms ahead`);
  }
  await first.release();
  assert.equal(await second.hold(), true, 'a process that is behind takes what is free');
  t.mock.timers.reset();
  assert.equal(await first.hold(), false, 'and keeps it');
});

test("the clock of a process that is off shows the database's time", async t => {
  await using stores = testStores(testEnvironment());
  const connection = await stores.database('kit');
  for (const aheadMs of [TEN_SECONDS, -TEN_SECONDS]) {
    const trueTime = setClock(t, aheadMs);
    const clock = await followDatabase(connection, createLogger('test', 'silent'));
    const errorMs = Math.abs(clock.now().getTime() - trueTime());
    await clock.stop();
    assert.ok(errorMs < 1_000, `it is ${errorMs} ms off`);
  }
});
