import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event } from '@recording-request/proto/events/v1/events';
import { testEnvironment } from '@recording-request/test/environment';
import { kafkaVariables, loadConfig, mongoVariables } from '../src/config.ts';
import { newEvent } from '../src/events.ts';
import { connectKafka } from '../src/kafka.ts';
import { PoisonError } from '../src/kafka-consumer.ts';
import type { Stoppable } from '../src/lifecycle.ts';
import { createLogger } from '../src/log.ts';
import { connectMongo } from '../src/mongo.ts';
import { outboxEntry, startRelay } from '../src/outbox.ts';

const log = createLogger('test', 'silent');
const erased = (submissionId: string): Event =>
  newEvent('submission.erased', { $case: 'submissionErased', value: { projectId: 'p', submissionId } });

async function room() {
  const config = loadConfig(testEnvironment().env, { ...mongoVariables, ...kafkaVariables });
  const connection = await connectMongo(config.mongoUrl, `${config.mongoDatabasePrefix}kit`);
  const kafka = await connectKafka({
    brokers: config.kafkaBrokers,
    clientId: 'test',
    topicPrefix: config.kafkaTopicPrefix,
    partitions: 2,
    replication: 1,
    log,
  });
  const relays: Stoppable[] = [];
  const things = connection.db!.collection<{ _id: string; outbox: object[] }>('things');
  await things.createIndex({ 'outbox.at': 1 }, { sparse: true });
  return {
    kafka,
    things,
    /** A lease long enough that a busy machine does not lose it: then nothing is published twice. */
    relay: () =>
      relays.push(startRelay({ connection, collection: 'things', kafka, log, pollMs: 200, leaseMs: 15_000 })),
    async [Symbol.asyncDispose]() {
      await Promise.all(relays.map(relay => relay.stop()));
      await kafka.close();
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

test('events that documents carry are published once each and then cleared, with two relays running', async () => {
  await using setup = await room();
  const { kafka, things } = setup;
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
  setup.relay();
  setup.relay();
  for (const event of events) await things.insertOne({ _id: event.id, outbox: [outboxEntry(event)] });
  await all;
  assert.ok(seen.includes(last));
  assert.equal(seen.length, events.length, 'no event is published twice while both relays live');
  const uncleared = () => things.countDocuments({ 'outbox.at': { $exists: true } });
  for (let left = await uncleared(); left > 0; left = await uncleared()) await nextTurn();
});

test('an event that fails is handled again; one that can never work is parked and does not hold up the next', async () => {
  await using setup = await room();
  const { kafka } = setup;
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
});

test('services that start at once and make the same topics at once all become ready', async () => {
  const config = loadConfig(testEnvironment().env, kafkaVariables);
  const connect = () =>
    connectKafka({
      brokers: config.kafkaBrokers,
      clientId: 'test',
      topicPrefix: config.kafkaTopicPrefix,
      partitions: 4,
      replication: 1,
      log,
    });
  const connected = await Promise.all(Array.from({ length: 6 }, connect));
  await Promise.all(connected.map(kafka => kafka.close()));
});
