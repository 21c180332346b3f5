import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@recording-request/proto/events/v1/events';
import { testEnvironment } from '@recording-request/test/environment';
import { kafkaVariables, loadConfig, mongoVariables } from '../src/config.ts';
import { newEvent } from '../src/events.ts';
import { connectKafka } from '../src/kafka.ts';
import { PoisonError } from '../src/kafka-consumer.ts';
import { createLogger } from '../src/log.ts';
import { connectMongo } from '../src/mongo.ts';
import { outboxEntry, startRelay } from '../src/outbox.ts';

const log = createLogger('test', 'silent');
const erased = (submissionId: string): Event =>
  newEvent('submission.erased', { $case: 'submissionErased', value: { projectId: 'p', submissionId } });

async function room() {
  const config = loadConfig(testEnvironment().env, { ...mongoVariables, ...kafkaVariables });
  const connection = await connectMongo(config.mongoUrl, `${config.mongoDatabasePrefix}kit`);
  const connect = () =>
    connectKafka({
      brokers: config.kafkaBrokers,
      clientId: 'test',
      topicPrefix: config.kafkaTopicPrefix,
      partitions: 2,
      replication: 1,
      log,
    });
  const things = connection.db!.collection<{ _id: string; outbox: object[] }>('things');
  await things.createIndex({ 'outbox.at': 1 }, { sparse: true });
  return {
    connection,
    connect,
    things,
    async [Symbol.asyncDispose]() {
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

test('events that documents carry are published once each and then cleared, with two relays running', async () => {
  await using setup = await room();
  const { connection, things } = setup;
  const kafka = await setup.connect();
  const seen: string[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const events = Array.from({ length: 300 }, (_, i) => erased(`s${i}`));
  const last = events.at(-1)!.id;
  await kafka.consume({
    topic: 'submissions.events',
    group: 'watch',
    slots: 1,
    jobLimitMs: 5_000,
    async handle(event) {
      seen.push(event.id);
      if (new Set(seen).size === events.length) resolve();
    },
  });
  const relays = [1, 2].map(() =>
    startRelay({ connection, collection: 'things', kafka, log, pollMs: 200, leaseMs: 1_000 }),
  );
  for (const event of events) await things.insertOne({ _id: event.id, outbox: [outboxEntry(event)] });
  await all;
  assert.ok(seen.includes(last));
  assert.equal(seen.length, events.length, 'no event is published twice while both relays live');
  while ((await things.countDocuments({ 'outbox.at': { $exists: true } })) > 0);
  await Promise.all(relays.map(relay => relay.stop()));
  await kafka.close();
});

test('an event that fails is handled again; one that can never work is parked and does not hold up the next', async () => {
  await using setup = await room();
  const kafka = await setup.connect();
  const tries = new Map<string, number>();
  const { promise: done, resolve } = Promise.withResolvers<void>();
  await kafka.consume({
    topic: 'submissions.events',
    group: 'watch',
    slots: 1,
    jobLimitMs: 5_000,
    async handle(event) {
      const id = (event.payload!.value as { submissionId: string }).submissionId;
      tries.set(id, (tries.get(id) ?? 0) + 1);
      if (id === 'poison') throw new PoisonError('no sense in it');
      if (id === 'flaky' && tries.get(id) === 1) throw new Error('store away');
      if (tries.get('flaky') === 2 && tries.has('good') && tries.has('poison')) resolve();
    },
  });
  for (const id of ['poison', 'flaky', 'good', 'good']) await kafka.publish(erased(id));
  await done;
  assert.deepEqual([tries.get('poison'), tries.get('flaky')], [1, 2]);
  await kafka.close();
});
