import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadConfig } from '@recording-request/kit/config';
import { type Connection, connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { testEnvironment } from './environment.ts';
import { type QueryPlans, watchQueryPlans } from './query-plans.ts';
import { testStores } from './test-stores.ts';

const environment = testEnvironment();
const stores = testStores(environment);
let service: Connection;
let plans: QueryPlans;
before(async () => {
  plans = await watchQueryPlans(environment);
  service = await connectMongo(loadConfig(environment.env, mongoVariables), 'projects');
});
after(async () => {
  await service.close();
  await stores[Symbol.asyncDispose]();
});

test("a service's query without an index is reported, a test's own is not", async () => {
  const links = service.collection<{ _id: number; hash: string }>('links');
  await links.insertMany([
    { _id: 1, hash: 'a' },
    { _id: 2, hash: 'b' },
  ]);
  await links.findOne({ _id: 1 });
  await (await stores.database('projects')).collection('links').findOne({ hash: 'b' });
  assert.deepEqual(await plans.wasteful(), []);

  await links.findOne({ hash: 'b' });
  const [scan, ...others] = await plans.wasteful();
  assert.match(scan ?? '', /_projects\.links: query read 2 documents and returned 1 \(COLLSCAN\): .*"hash":"b"/);
  assert.deepEqual(others, []);
});

test('MongoDB refuses a time limit for the getMore of a query, so that only reads of change streams are left out', async () => {
  const things = service.collection('things');
  await things.insertMany([{ a: 1 }, { a: 2 }, { a: 3 }]);
  const db = service.db!;
  const more = (id: unknown) => ({ getMore: id, collection: 'things', batchSize: 1, maxTimeMS: 100 });
  const openings = [
    { find: 'things', batchSize: 1 },
    { aggregate: 'things', pipeline: [], cursor: { batchSize: 1 } },
  ];
  for (const opening of openings) {
    const { cursor } = await db.command(opening);
    await assert.rejects(db.command(more(cursor.id)), /maxTimeMS on getMore command for a non-awaitData cursor/);
  }
  const changes = { aggregate: 'things', pipeline: [{ $changeStream: {} }], cursor: { batchSize: 0 } };
  const { cursor } = await db.command(changes);
  assert.equal((await db.command(more(cursor.id))).ok, 1);
});
