import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PoisonError, PostponedError } from '@recording-request/kit/kafka-consumer';
import type { Stoppable } from '@recording-request/kit/lifecycle';
import { createLogger } from '@recording-request/kit/log';
import { startRelay } from '@recording-request/kit/outbox';
import { Event } from '@recording-request/proto/events/v1/events';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { Kafka as KafkaClient, logLevel } from 'kafkajs';
import { newEvent } from '../src/event.ts';
import { outboxEntry } from '../src/kafka.ts';

const log = createLogger('test', 'silent');
const erased = (submissionId: string): Event =>
  newEvent('submission.erased', { $case: 'submissionErased', value: { projectId: 'p', submissionId } });

async function startTestRelays() {
  const { env, name } = testEnvironment();
  await using starting = new AsyncDisposableStack();
  const stores = starting.use(testStores({ env }));
  const connection = await stores.database('kit');
  const kafka = await stores.kafka();
  const relays: Stoppable[] = [];
  starting.defer(async () => void (await Promise.all(relays.map(relay => relay.stop()))));
  const things = connection.db!.collection<{ _id: string; outbox: object[] }>('things');
  await things.createIndex({ 'outbox.at': 1 }, { sparse: true });
  const started = starting.move();
  return {
    kafka,
    things,
    brokers: env.KAFKA_BROKERS!.split(','),
    prefix: `${name}.`,
    /** A lease long enough that a busy machine does not lose it: then nothing is published twice. */
    relay: () =>
      relays.push(startRelay({ connection, collection: 'things', kafka, log, pollMs: 200, leaseMs: 15_000 })),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

test('events that documents carry are published once each and then cleared, with two relays running', async () => {
  await using setup = await startTestRelays();
  const { kafka, things } = setup;
  const seen: string[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const events = Array.from({ length: 300 }, (_, i) => erased(`s${i}`));
  const last = events.at(-1)!.id;
  await kafka.consume({
    topic: 'submissions.events',
    group: 'watch',
    concurrency: 1,
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
  await until('every event is cleared', async () => (await uncleared()) === 0, { limitMs: 60_000 });
});

test('an event that fails is handled again; one that can never work goes to the dead letter topic and does not hold up the next', async () => {
  await using setup = await startTestRelays();
  const { kafka } = setup;
  const tries = new Map<string, number>();
  const { promise: done, resolve } = Promise.withResolvers<void>();
  await kafka.consume({
    topic: 'submissions.events',
    group: 'watch',
    concurrency: 1,
    jobLimitMs: 5_000,
    async handle(event) {
      const id = (event.payload!.value as { submissionId: string }).submissionId;
      tries.set(id, (tries.get(id) ?? 0) + 1);
      if (id === 'poison') throw new PoisonError('no sense in it');
      if (id === 'flaky' && tries.get(id) === 1) throw new Error('store away');
      if (id === 'early' && tries.get(id)! < 3) throw new PostponedError('not yet', 10);
      if (tries.get('early') === 3 && tries.get('flaky') === 2 && tries.has('good') && tries.has('poison')) resolve();
    },
  });
  for (const id of ['poison', 'flaky', 'early', 'good', 'good']) await kafka.publish(erased(id));
  await done;
  assert.deepEqual([tries.get('poison'), tries.get('flaky'), tries.get('early')], [1, 2, 3]);
});

test('a record that is no event, lacks a required part, or is as large as a record can be goes to the dead letter topic', async () => {
  await using setup = await startTestRelays();
  const { kafka, brokers, prefix } = setup;
  const handled: string[] = [];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  await kafka.consume({
    topic: 'media.events',
    group: 'watch',
    concurrency: 1,
    jobLimitMs: 5_000,
    async handle(event) {
      handled.push(event.id);
      resolve();
    },
  });
  const client = new KafkaClient({ brokers, logLevel: logLevel.NOTHING });
  const value = { projectId: 'p', submissionId: 's', video: undefined, audio: undefined, thumbnails: [] };
  const withoutVideo = newEvent('media.processed', {
    $case: 'mediaProcessed',
    value: { ...value, inspection: undefined },
  });
  const failed = { $case: 'mediaFailed', value: { projectId: 'p', submissionId: 's', reason: 'r' } } as const;
  const whole = newEvent('media.failed', failed);
  const lacking = Buffer.from(Event.encode(withoutVideo).finish());
  const records = [Buffer.from('{}'), null, lacking, Buffer.alloc(1_048_588 - 150, 7)];
  const producer = client.producer();
  await producer.connect();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => producer.disconnect());
  const topic = `${prefix}media.events`;
  for (const record of records) await producer.send({ topic, messages: [{ key: 'k', partition: 0, value: record }] });
  const last = Buffer.from(Event.encode(whole).finish());
  await producer.send({ topic, messages: [{ key: 'k', partition: 0, value: last }] });
  await done;
  assert.deepEqual(handled, [whole.id], 'the event behind them is handled');
  assert.deepEqual(await deadLetters(client, prefix, records.length), [
    { from: 'media.events', offset: '0', bytes: 2 },
    { from: 'media.events', offset: '1', bytes: 0 },
    { from: 'media.events', offset: '2', bytes: records[2]!.length },
    { from: 'media.events', offset: '3', bytes: 0 },
  ]);
});

async function deadLetters(client: KafkaClient, prefix: string, count: number) {
  const records: { from: string; offset: string; bytes: number }[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const consumer = client.consumer({ groupId: `${prefix}look` });
  await consumer.connect();
  await consumer.subscribe({ topic: `${prefix}parked`, fromBeginning: true });
  await consumer.run({
    async eachMessage({ message: { headers = {}, value } }) {
      const [from, offset] = [headers['parked-from'], headers['parked-offset']].map(String) as [string, string];
      records.push({ from, offset, bytes: value?.length ?? 0 });
      if (records.length === count) resolve();
    },
  });
  await all;
  await consumer.disconnect();
  return records.toSorted((a, b) => Number(a.offset) - Number(b.offset));
}
