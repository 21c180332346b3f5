import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import { type DatabaseClock, followDatabase } from '@recording-request/kit-mongo/clock';
import type { Connection } from '@recording-request/kit-mongo/mongo';
import { testEnvironment } from '@recording-request/testing/environment';
import { takeInventory } from '@recording-request/testing/query-inventory';
import { testStores } from '@recording-request/testing/test-stores';
import type { FeedEvent } from '../src/domain/feed.ts';
import { migrate } from '../src/migrate.ts';
import { type FeedQuery, SCANNED_MAX } from '../src/store/feed.ts';
import { sharding } from '../src/store/shard-keys.ts';
import { openStore, type Store } from '../src/store/store.ts';
import { appendToFeed } from '../src/workflows/append-to-feed.ts';
import { feedEvent } from './feed-helpers.ts';

const environment = testEnvironment();
const stores = testStores(environment);
const { signal } = new AbortController();
let connection: Connection;
let store: Store;
let clock: DatabaseClock;
before(async () => {
  await migrate(environment.env, () => {});
  connection = await stores.database('webhooks');
  store = await openStore(connection);
  clock = await followDatabase(connection, createLogger('test', 'silent'));
});
after(async () => {
  await clock?.stop();
  await stores[Symbol.asyncDispose]();
});

const query = (ownerId: string, more: Partial<FeedQuery> = {}): FeedQuery => ({
  ...{ ownerId, after: 0, types: [], projectId: '', limit: 100, maxBytes: 4_000_000 },
  ...more,
});

/** Reads one page after the other until `work` has ended, and then to the end. */
async function readDuring(ownerId: string, work: Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  let after = 0;
  let isOver = false;
  work.finally(() => {
    isOver = true;
  });
  for (let isLast = false; ; isLast = isOver) {
    const page = await store.feed.page(query(ownerId, { after, limit: 5 }));
    seen.push(...page.events.map(({ id }) => id));
    after = page.next;
    if (isLast && page.caughtUp) return seen;
  }
}

async function appendAll(events: FeedEvent[]): Promise<void> {
  for (const event of events) await appendToFeed({ clock, store }, event, signal);
}

test('processes that append the same records at the same time make one order that a reader never misses', async () => {
  const ownerId = uuidv7();
  const events = Array.from({ length: 60 }, () => feedEvent(ownerId, { data: 'k.x' }));
  // Like consumers after rebalances: each begins at the same offset, while the partition's earlier consumers still run.
  const work = Promise.all([0, 3, 10, 25].map(less => appendAll(events.slice(0, events.length - less))));
  assert.deepEqual(
    await readDuring(ownerId, work),
    events.map(({ id }) => id),
  );
  await work;
});

test('while an owner’s records are in two partitions, a reader still misses no event', async () => {
  const ownerId = uuidv7();
  const events = Array.from({ length: 80 }, () => feedEvent(ownerId, { data: 'k.x' }));
  const lanes = [0, 1, 2, 3].map(lane => events.filter((_, index) => index % 4 === lane));
  const work = Promise.all(lanes.map(appendAll));
  const seen = await readDuring(ownerId, work);
  await work;
  assert.equal(seen.length, events.length);
  for (const lane of lanes) {
    const own = new Set(lane.map(({ id }) => id));
    assert.deepEqual(
      seen.filter(id => own.has(id)),
      lane.map(({ id }) => id),
    );
  }
});

test('a page has a limited number of bytes, and at least one event', async () => {
  const ownerId = uuidv7();
  const bytes = [10, 90, 30, 500, 20];
  await appendAll(bytes.map(dataBytes => feedEvent(ownerId, { data: 'k.x', dataBytes })));
  const sizes: number[][] = [];
  for (let after = 0, caughtUp = false; !caughtUp; ) {
    const page = await store.feed.page(query(ownerId, { after, maxBytes: 100 }));
    sizes.push(page.events.map(({ dataBytes }) => dataBytes));
    ({ next: after, caughtUp } = page);
  }
  assert.deepEqual(sizes, [[10, 90], [30], [500], [20]]);
});

test('after the age limit the numbers go on, and a reader can tell what is gone', async () => {
  const ownerId = uuidv7();
  await appendAll(Array.from({ length: 3 }, () => feedEvent(ownerId)));
  const { next } = await store.feed.page(query(ownerId));
  assert.equal(await store.feed.gone(ownerId), 0);
  assert.ok((await store.feed.deleteOld(new Date(next + 1), 1_000)) >= 3);
  assert.equal(await store.feed.gone(ownerId), next);
  assert.equal(await store.feed.last(ownerId), next);
  await appendAll([feedEvent(ownerId)]);
  const page = await store.feed.page(query(ownerId, { after: next }));
  assert.equal(page.events.length, 1);
  assert.ok(page.next > next);
});

test('a page costs the same with 100,000 events as with 10', async () => {
  const [large, small] = [uuidv7(), uuidv7()];
  const projectId = uuidv7();
  const typeAt = (index: number) => (index % 7_000 === 6_999 ? 'project.updated' : 'submission.completed');
  const rows = (ownerId: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      _id: `${ownerId} ${index}` as never,
      ...{ ownerId, seq: index + 1, eventId: uuidv7(), type: typeAt(index), createdAt: new Date() },
      ...{ projectId, submissionId: '', tokenId: '', data: 'k.x', dataBytes: 10 },
    }));
  for (let written = 0; written < 100_000; written += 20_000)
    await connection
      .collection('feed')
      .insertMany(rows(large, 100_000).slice(written, written + 20_000), { ordered: false });
  await connection.collection('feed').insertMany(rows(small, 10));
  await using inventory = await takeInventory({
    ...{ env: environment.env, sharding, database: 'webhooks', stores: store, exceptions: {} },
  });
  const cost = (more: Partial<FeedQuery>) =>
    inventory.costOf(async () => {
      await store.feed.page(query(more.ownerId!, { limit: 5, ...more }));
    });
  const ofSmall = await cost({ ownerId: small });
  for (const after of [0, 50_000, 99_990])
    assert.deepEqual((await cost({ ownerId: large, after })).examined, ofSmall.examined);
  const waits = () => inventory.costOf(() => store.feed.lastOfEach([large, small]));
  assert.ok((await waits()).examined <= 10, `${(await waits()).examined} examined to find two ends`);
  const common = { types: ['submission.completed'], projectId };
  const ofSmallFiltered = await cost({ ownerId: small, ...common });
  for (const after of [0, 50_000, 99_000]) {
    const { examined } = await cost({ ownerId: large, after, ...common });
    assert.ok(examined <= ofSmallFiltered.examined + 20, `${examined} examined for events that most are`);
  }
  const filtered = { projectId: uuidv7() };
  assert.ok((await cost({ ownerId: large, ...filtered })).examined <= 2 * SCANNED_MAX + 10);

  const none = await store.feed.page(query(large, filtered));
  assert.deepEqual([none.events, none.next, none.caughtUp], [[], SCANNED_MAX, false]);
  const last = await store.feed.page(query(large, { ...filtered, after: 98_000 }));
  assert.deepEqual([last.next, last.caughtUp], [100_000, true]);
  const rare: number[] = [];
  let pages = 0;
  for (let after = 0, caughtUp = false; !caughtUp; pages += 1) {
    const page = await store.feed.page(query(large, { after, types: ['project.updated'], limit: 1 }));
    rare.push(...page.events.map(({ seq }) => seq));
    ({ next: after, caughtUp } = page);
  }
  assert.deepEqual(
    rare,
    Array.from({ length: 14 }, (_, index) => 7_000 * (index + 1)),
  );
  assert.ok(pages <= 100_000 / SCANNED_MAX + 1, `${pages} pages`);
});
