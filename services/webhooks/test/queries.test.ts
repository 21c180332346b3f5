import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadConfig } from '@recording-request/kit/config';
import { fingerprintOf } from '@recording-request/kit-mongo/indexes';
import { type Connection, connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { testEnvironment } from '@recording-request/testing/environment';
import { takeInventory } from '@recording-request/testing/query-inventory';
import { unroutable } from '@recording-request/testing/shard-watch';
import { testStores } from '@recording-request/testing/test-stores';
import type { NewDelivery } from '../src/domain/delivery.ts';
import { migrate } from '../src/migrate.ts';
import { schemaOf } from '../src/store/schema-steps.ts';
import { sharding } from '../src/store/shard-keys.ts';
import { openStore, type Store } from '../src/store/store.ts';

const DELIVERIES = 600;
const PROJECT = 'project';
const DAY_MS = 86_400_000;
const BEGUN = Date.now();
const at = (index: number) => new Date(BEGUN - 10 * DAY_MS + index * 1_000);
const later = new Date(Date.now() + DAY_MS);

const environment = testEnvironment();
const servers = testStores(environment);
let connection: Connection;
let store: Store;
before(async () => {
  connection = await connectMongo(loadConfig(environment.env, mongoVariables), 'webhooks');
  await migrate(environment.env, () => {});
  store = await openStore(connection);
  await fill();
});
after(async () => {
  await connection.close();
  await servers[Symbol.asyncDispose]();
});

const into = (collection: string, length: number, of: (index: number) => object) =>
  connection.db!.collection(collection).insertMany(Array.from({ length }, (_, index) => of(index)) as never);

const delivery = (index: number, fields: object = {}) => ({
  _id: `delivery ${index}`,
  ...{
    projectId: PROJECT,
    ownerId: 'owner',
    submissionId: `submission ${Math.floor(index / 3)}`,
    eventType: 'submission.completed',
  },
  ...{ createdAt: at(index), sealedBody: 'k1.x', state: 'delivered', step: 0, forced: false },
  ...{ attempts: [], attemptCount: 1, traceparent: '', tracestate: '' },
  ...fields,
});

async function fill() {
  await Promise.all([
    into('deliveries', DELIVERIES, index => delivery(index)),
    // A failing endpoint: all but one of its deliveries wait for a retry.
    into('deliveries', 100, index =>
      delivery(1_000 + index, { projectId: 'away', state: 'pending', nextAt: index === 50 ? at(0) : later }),
    ),
    into('deliveries', 100, index =>
      delivery(2_000 + index, { projectId: 'paused', state: 'paused', createdAt: at(-500) }),
    ),
    into('endpoints', 100, index => ({
      ...{ _id: `project ${index}`, targetVersion: 1, state: 'paused', failingSince: at(0) },
      checkAt: index === 3 ? at(0) : later,
    })),
    into('endpoints', 3, index => ({
      ...{ _id: `failing ${index}`, targetVersion: 1, state: 'active', failingSince: at(index) },
      checkAt: later,
    })),
    into('feed', 300, index => ({
      ...{ _id: `feeder ${index - 1}`, ownerId: 'feeder', seq: index, eventId: `event ${index}`, createdAt: at(index) },
      ...{ type: index % 2 === 0 ? 'even' : 'odd', projectId: index < 20 ? 'fed' : 'other', tokenId: '' },
      ...{ submissionId: `submission ${index}`, data: 'k1.x', dataBytes: 2 },
    })),
    into('erasures', 100, index => ({ _id: `erased ${index}`, at: new Date() })),
  ]);
}

test('a change of the indexes needs a schema step, so that no service starts without them', () => {
  const { collections, steps } = schemaOf(30 * 86_400);
  const now = fingerprintOf(collections);
  assert.equal(steps.findLast(({ indexes }) => indexes)?.indexes, now, `add a step with indexes: '${now}'`);
});

test('each query examines only the documents that it returns or changes, however large the store is', async () => {
  await using inventory = await takeInventory({
    env: environment.env,
    sharding,
    database: 'webhooks',
    stores: store,
    exceptions: {
      'ledger.countUnsent':
        'counts at most 10,000 deliveries of a project, from an index alone, once for each period of failures',
      'queue.countPending': 'counts at most 10,000 deliveries from an index alone, for an operator’s command',
      'ledger.hasMore': 'counts up to the most that one request sends again',
      'figures.endpointsByState': 'counts at most 10,000 endpoints of a state, from an index alone, in one process',
      'figures.firstDue': 'sorts the first due delivery of each endpoint, from an index alone, in one process',
      'ledger.erase': 'counts the bodies to erase',
      'feed.tally': 'counts the events of a project to erase',
      'feed.countOwner': 'counts the events of an owner to erase, from an index alone',
      'feed.page': 'with a filter, examines at most 5,000 events, from an index alone',
    },
  });
  const { queue, ledger, endpoints, figures, sending, sealed, feed } = inventory.stores;
  const now = new Date();

  assert.deepEqual(await figures.endpointsByState(), { ok: 0, failing: 3, paused: 100 });
  assert.deepEqual(await figures.longestFailing(2), [
    { projectId: 'failing 0', failingSince: at(0) },
    { projectId: 'failing 1', failingSince: at(1) },
  ]);
  assert.deepEqual(await figures.firstDue(now), [{ projectId: 'away', nextAt: at(0) }]);
  assert.deepEqual(await figures.endpoints(['away', 'project 1']), [
    { projectId: 'project 1', targetVersion: 1, state: 'paused', failingSince: at(0) },
  ]);
  assert.equal(await figures.countOwners(['away', 'elsewhere']), 1);
  assert.equal(await figures.countDue(['away', 'elsewhere'], now), 1);
  assert.equal(await queue.countPending(), 100);
  for (const isPaused of [true, true, false]) await sending.set(isPaused, now);
  assert.deepEqual(await sending.get(), { isPaused: false, since: now });

  const fresh: NewDelivery = {
    ...{
      id: 'fresh',
      projectId: 'fresh',
      ownerId: 'owner',
      submissionId: 'x',
      eventType: 'submission.completed',
      createdAt: now,
    },
    ...{ sealedBody: 'k1.x', traceparent: '', tracestate: '' },
  };
  assert.ok(await queue.insert(fresh, now));
  assert.ok(!(await queue.insert(fresh, now)));
  const byHand = { leaseUntil: later, forced: true };
  const forced = (await queue.insertClaimed({ ...fresh, id: 'forced' }, byHand))!;
  assert.equal(await queue.insertClaimed({ ...fresh, id: 'forced' }, byHand), undefined);
  assert.equal((await queue.firstDue()).length, 2);
  const claimed = await queue.claim({ projectId: 'away' }, 1_000);
  assert.equal(claimed?.id, 'delivery 1050');
  assert.equal(await queue.claim({ projectId: 'away' }, 1_000), undefined, 'the others wait');
  assert.equal(await queue.claim({ id: 'delivery 7', projectId: 'busy' }, 1_000), undefined);
  const attempt = { at: now, statusCode: 200, error: '', durationMs: 1 };
  await queue.succeeded(claimed!, attempt);
  await queue.failed(forced, attempt, { state: 'failed' });
  await queue.failed(forced, attempt, { state: 'failed' });
  const again = await queue.claim({ id: 'fresh', projectId: 'fresh' }, 1_000);
  await queue.putBack(again!, { state: 'pending', nextAt: later });
  await queue.pauseAll('away');
  assert.equal(await queue.resume('away', { waiting: false }, later), 99);
  assert.equal(await queue.resume('away', { waiting: true }, now), 99);

  const newest = await ledger.list(PROJECT, 8);
  const after = { createdAt: newest.at(-1)!.createdAt, id: newest.at(-1)!.id };
  assert.equal((await ledger.list(PROJECT, 8, after))[0]?.id, `delivery ${DELIVERIES - 9}`);
  await ledger.get(PROJECT, 'delivery 5');
  await ledger.sendAgain(PROJECT, 'delivery 5', later);
  const range = { from: at(100), to: at(200), undeliveredOnly: true };
  assert.equal(await ledger.countUnsent('away'), 99);
  assert.ok(await ledger.hasMore(PROJECT, range, 50));
  assert.equal(await ledger.sendRangeAgain(PROJECT, range, later), 0);
  assert.ok(await ledger.isErased({ projectId: 'erased 1', submissionId: 'x' }));
  assert.equal((await ledger.look({ projectId: 'project 5', submissionId: 'x' })).endpoint?.state, 'paused');
  assert.equal((await ledger.tally({ projectId: PROJECT, submissionId: 'submission 3' })).payloads, 3);
  await ledger.erase({ projectId: PROJECT, submissionId: 'submission 3' }, now);
  assert.equal((await ledger.erase({ projectId: PROJECT, origin: 'link' }, now)).payloads, 0);
  await ledger.addErased({ projectId: PROJECT, origin: 'link' }, { payloads: 1, undelivered: 0, events: 2 });
  assert.equal((await ledger.totalOf({ projectId: PROJECT, origin: 'link' })).events, 2);
  await ledger.eraseDelivery({ projectId: PROJECT, id: 'delivery 8' });
  assert.equal(await ledger.deleteSettled(at(20), 10), 10);
  await ledger.erase({ projectId: 'away' }, now);

  const { others, last } = await sealed.page('deliveries', 'delivery 3', 5, 'k2');
  assert.deepEqual([others.length, last], [5, others[4]!.id]);
  assert.equal((await sealed.page('deliveries', last!, 5, 'k1')).others.length, 0);
  assert.equal((await sealed.ends('deliveries')).length, 2);
  assert.equal(await sealed.replace([{ text: others[0]!, sealed: 'k2.x' }]), 1);
  const ofFeed = await sealed.page('feed', '', 5, 'k2');
  assert.equal((await sealed.ends('feed')).length, 2);
  assert.equal(await sealed.replace([{ text: ofFeed.others[0]!, sealed: 'k2.x' }]), 1);

  await endpoints.get('project 1');
  await endpoints.observe('project 1', 1, now);
  await endpoints.observe('project 1', 2, now);
  await endpoints.observe('new', 1, now);
  await endpoints.failed('project 1', 2, attempt);
  await endpoints.failureReported('project 1', now);
  await endpoints.succeeded('project 1', 2, now);
  await endpoints.served('project 1', now);
  await endpoints.pause('project 1', 2, 'failing' as never, now);
  await endpoints.resume('project 2', 1, later);
  await endpoints.resumed('project 2', 1);
  await endpoints.scheduleChecks('new', later);
  while (await endpoints.claimDueCheck(DAY_MS));
  await endpoints.endChecks('project 2', 1);
  await endpoints.remove('new');

  await ledger.sealedBody(PROJECT, 'delivery 9');

  const whole = { ownerId: 'feeder', after: 100, types: [], projectId: '', limit: 20, maxBytes: 1_000 };
  assert.equal((await feed.page(whole)).next, 120);
  assert.equal((await feed.page({ ...whole, types: ['odd'], projectId: 'other' })).next, 139);
  assert.equal((await feed.page({ ...whole, projectId: 'fed' })).next, 299);
  assert.equal(await feed.last('feeder'), 299);
  assert.deepEqual(await feed.lastOfEach(['feeder', 'nobody']), new Map([['feeder', 299]]));
  const row = {
    ...{ id: 'new', ownerId: 'feeder', seq: 300, type: 'odd', createdAt: now, projectId: 'p', submissionId: '' },
    ...{ tokenId: '', dataBytes: 0 },
  };
  const outcomes = [await feed.insert(298, row), await feed.insert(299, row), await feed.insert(300, row)];
  assert.deepEqual(outcomes, ['followed', 'inserted', 'present']);
  assert.equal(await feed.erasureOf({ ownerId: 'feeder', projectId: 'erased 2', submissionId: '' }), 'project');
  assert.equal(await feed.tally({ projectId: 'fed', submissionId: 'submission 3' }), 1);
  assert.equal(await feed.tally({ projectId: 'fed', origin: 'link' }), 0);
  assert.equal(await feed.erase({ projectId: 'fed', submissionId: 'submission 3' }), 1);
  assert.equal(await feed.erase({ projectId: 'fed', origin: 'link' }), 0);
  await feed.eraseEvent({ ownerId: 'feeder', id: 'event 4' }, 'data');
  assert.equal(await feed.tally({ projectId: 'fed' }), 18);
  assert.equal(await feed.erase({ projectId: 'fed' }), 18);
  assert.equal(await feed.deleteOld(new Date(10), 100), 10);
  assert.equal(await feed.gone('feeder'), 9);
  assert.equal(await feed.countOwner('feeder'), 291);
  assert.equal(await feed.eraseOwner('feeder', now), 291);

  assert.equal(inventory.wasteful().join('\n'), '', 'the cost of a query grows with the data');
  assert.deepEqual(inventory.uncalled(), [], 'this test calls every method of the stores');
  assert.deepEqual(inventory.unneeded(), [], 'every exception is needed');
  const across = inventory.acrossShards();
  assert.deepEqual(across, Object.keys(sharding.acrossShards).sort(), 'every other command has its shard key');
  assert.deepEqual(unroutable(across), [], 'no command that changes one document goes to every shard');
});

test('the first due delivery of each endpoint takes one look-up in the index, and no document is read', async () => {
  await using inventory = await takeInventory({
    ...{ env: environment.env, sharding, database: 'webhooks', stores: store, exceptions: {} },
  });
  await into('deliveries', 500, index =>
    delivery(3_000 + index, { projectId: `late ${index % 5}`, state: 'pending', nextAt: at(index) }),
  );
  let found = 0;
  const { commands, examined } = await inventory.costOf(async () => {
    found = (await store.figures.firstDue(new Date())).length;
  });
  assert.ok(found >= 5);
  assert.equal(commands, 1);
  assert.ok(examined <= found + 3, `${examined} index entries and documents for ${found} endpoints`);
});

test('concurrent deliveries share one check for erasures and one read of their endpoint, started after all of them', async () => {
  await using inventory = await takeInventory({
    ...{ env: environment.env, sharding, database: 'webhooks', stores: store, exceptions: {} },
  });
  const looks = async () => {
    const erased = Array.from({ length: 50 }, (_, index) =>
      store.ledger.isErased({
        projectId: PROJECT,
        submissionId: index % 2 === 0 ? `erased ${index}` : `live ${index}`,
      }),
    );
    const seen = Array.from({ length: 50 }, () => store.endpoints.observe('project 5', 1, new Date()));
    const found = await Promise.all(erased);
    assert.deepEqual(
      found,
      Array.from({ length: 50 }, (_, index) => index % 2 === 0),
    );
    for (const { endpoint } of await Promise.all(seen)) assert.equal(endpoint.state, 'paused');
  };
  // The first read of each kind starts at once. The reads that arrive during it share the next query.
  assert.equal((await inventory.costOf(looks)).commands, 4);
});
