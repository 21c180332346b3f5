import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { callScope } from '@recording-request/kit/call-scope';
import { loadConfig, StartError } from '@recording-request/kit/config';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { Schema } from 'mongoose';
import { connectMongo, isOutOfTime } from '../src/mongo.ts';
import { mongoVariables } from '../src/variables.ts';

const CONNECTIONS_LEAST = 4;

test('a new process has connections for several requests at once', async () => {
  const name = `start-${randomUUID()}`;
  const { env } = testEnvironment();
  await using stack = new AsyncDisposableStack();
  const connection = stack.adopt(await connectMongo(loadConfig(env, mongoVariables), 'start', name), each =>
    each.close(),
  );
  const opened = async () => {
    const stages = [{ $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: name } }];
    return await connection.getClient().db('admin').aggregate(stages, { readConcern: 'local' }).toArray();
  };
  await until('the connections are opened', async () => (await opened()).length >= CONNECTIONS_LEAST);
  assert.ok((await opened()).length <= 2 * CONNECTIONS_LEAST, 'no more connections than needed');
});

test('an address that the driver refuses is a fault of MONGO_URL, not an outage, and the error has no part of it', async () => {
  for (const url of [
    'mongodb://service:p%ZZhush@127.0.0.1:27017/?replicaSet=rs',
    'mongodb://service:p@@hush@127.0.0.1:27017/',
    'mongodb://service:p?hush=1@127.0.0.1:27017/',
    'mongodb://service:hush@127.0.0.1:99999/',
    'mongodb://127.0.0.1:27017/?tls=maybe',
    'mongodb://127.0.0.1:27017/?authMechanism=hush',
    'mongodb://127.0.0.1:27017/?authMechanism=PLAIN',
  ]) {
    const connecting = connectMongo(loadConfig({ MONGO_URL: url }, mongoVariables), 'start');
    await assert.rejects(connecting, (error: Error) => {
      assert.ok(error instanceof StartError, `${url} is refused before any request: ${error}`);
      assert.match(error.message, /^MONGO_URL is no address/);
      assert.doesNotMatch(error.message, /hush/);
      return true;
    });
  }
});

test('MongoDB ends a command without a waiting caller, so it blocks neither the pool nor the next attempt', async () => {
  await using stores = testStores(testEnvironment());
  const connection = await stores.database('kit');
  const responses = connection.model('Response', new Schema({ _id: String, use: String }));
  await responses.createCollection();
  await responses.create({ _id: 'r', use: 'held' });
  const session = await connection.startSession();
  session.startTransaction();
  try {
    await responses.collection.updateOne({ _id: 'r' } as object, { $set: { use: 'seen' } }, { session });
    await responses.create([{ _id: 's', use: 'seen' }], { session });
    const startedAt = performance.now();
    // The caller's deadline passed some seconds ago.
    const scope = { signal: AbortSignal.timeout(0), deadlineAt: Date.now() - 4_500 };
    for (const change of [
      () => responses.findOneAndUpdate({ _id: 'r' }, { use: 'landed' }),
      () => responses.updateOne({ _id: 'r' }, { use: 'landed' }),
      () => responses.collection.updateOne({ _id: 'r' } as object, { $set: { use: 'landed' } }),
      () => responses.collection.bulkWrite([{ deleteOne: { filter: { _id: 'r' } as object } }]),
      () => responses.create({ _id: 's', use: 'landed' }),
    ])
      await assert.rejects(
        callScope.run(scope, async () => await change()),
        isOutOfTime,
      );
    assert.ok(performance.now() - startedAt < 15_000, 'the commands were ended');
  } finally {
    await session.abortTransaction();
    await session.endSession();
  }
  assert.equal((await responses.findOneAndUpdate({ _id: 'r' }, { use: 'landed' }))!.use, 'held');
});
