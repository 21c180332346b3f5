import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stoppable } from '@recording-request/kit/lifecycle';
import { createLogger } from '@recording-request/kit/log';
import { PoisonError } from '@recording-request/kit-kafka/consumer';
import { PublishError } from '@recording-request/kit-kafka/producer';
import { Event } from '@recording-request/proto/events/v1/events';
import { testEnvironment } from '@recording-request/testing/environment';
import { openInbox } from '@recording-request/testing/event-inbox';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { Kafka as KafkaClient, logLevel } from 'kafkajs';
import { newEvent } from '../src/event.ts';
import { outboxEntry } from '../src/kafka.ts';
import { startRelay } from '../src/outbox.ts';
import { WAKING } from '../src/outbox-watch.ts';

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
    /** Long enough that a busy machine renews the lease in time, so that no entry is published twice. */
    relay: (options: Partial<Parameters<typeof startRelay>[0]> = {}) => {
      const defaults = {
        connection,
        name: 'things',
        collections: { things: '_id' },
        kafka,
        log,
        pollMs: 200,
        leaseMs: 15_000,
      };
      relays.push(startRelay({ ...defaults, ...options }));
    },
    uncleared: () => things.countDocuments({ 'outbox.at': { $exists: true } }),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

test('two relays publish each outbox event once and clear it', async () => {
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
  await until('every event is cleared', async () => (await setup.uncleared()) === 0, { limitMs: 60_000 });
});

const ofBytes = (submissionId: string, bytes: number): Event => {
  const value = { projectId: 'p', submissionId, reason: 'x'.repeat(bytes), clipAtFault: true };
  return newEvent('media.failed', { $case: 'mediaFailed', value });
};

test('a backlog larger than a record’s limit is published, and an event that the broker refuses delays no other', async () => {
  await using setup = await startTestRelays();
  const { kafka, things, brokers, prefix } = setup;
  const inbox = await openInbox(kafka, 'media.events');
  // All events go to one partition, like the events of one submission.
  const events = Array.from({ length: 30 }, (_, i) => ofBytes('same', i === 10 ? 1_100_000 : 80_000));
  const [tooLarge] = events.splice(10, 1);
  events.splice(10, 0, tooLarge!);
  await things.insertMany(events.map(event => ({ _id: event.id, outbox: [outboxEntry(event)] })));
  setup.relay();
  await until('every event is published or set aside', async () => (await setup.uncleared()) === 0);
  const others = events.filter(event => event !== tooLarge).map(({ id }) => id);
  await until('the events have arrived', () => inbox.events.length >= others.length);
  assert.deepEqual(
    inbox.events.map(({ id }) => id),
    others,
    'all others come once, in their order',
  );
  const client = new KafkaClient({ brokers, logLevel: logLevel.NOTHING });
  const [letter] = await deadLetters(client, prefix, 1);
  assert.deepEqual(letter, { from: 'media.events', offset: tooLarge!.id, bytes: 0 });
});

test('a process that cannot reach Kafka leaves the outbox to one that can', async () => {
  await using setup = await startTestRelays();
  const { kafka, things } = setup;
  const inbox = await openInbox(kafka, 'media.events');
  let tries = 0;
  const publishRecords = async (records: unknown[]) => {
    tries += 1;
    return records.map(() => new PublishError('not from here'));
  };
  setup.relay({ kafka: { ...kafka, publishRecords } });
  const event = ofBytes('one', 10);
  await things.insertOne({ _id: event.id, outbox: [outboxEntry(event)] });
  await until('the first process has tried', () => tries > 0);
  setup.relay({ pollMs: 100 });
  await inbox.first(({ id }) => id === event.id, 5_000);
});

test('a change stream that ends is reopened: later events are published at once, not at the next poll', async () => {
  await using setup = await startTestRelays();
  const { kafka, things } = setup;
  const inbox = await openInbox(kafka, 'media.events');
  // Events that arrive while the stream opens wait for a poll, which is too late for this test.
  const published = async () => {
    const { id, ...event } = ofBytes('noticed', 10);
    await things.insertOne({ _id: id, outbox: [outboxEntry({ id, ...event })] });
    return await inbox.first(each => each.id === id, 1_000).catch(() => undefined);
  };
  setup.relay({ pollMs: 600_000, leaseMs: 600_000 });
  await until('an event is published as the stream reports it', published, { limitMs: 10_000 });
  // This invalidates the change stream.
  await things.drop();
  await things.createIndex({ 'outbox.at': 1 }, { sparse: true });
  await until('an event after the end of the stream is published', published, { limitMs: 10_000 });
});

test('a failed event is retried; one that can never succeed goes to the dead letter topic and does not block the next', async () => {
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
      if (tries.get('flaky') === 2 && tries.has('good') && tries.has('poison')) resolve();
    },
  });
  for (const id of ['poison', 'flaky', 'good', 'good']) await kafka.publish(erased(id));
  await done;
  assert.deepEqual([tries.get('poison'), tries.get('flaky')], [1, 2]);
});

test('a record that is not an event, lacks a required part, or has the maximum size goes to the dead letter topic', async () => {
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
  const failed = {
    $case: 'mediaFailed',
    value: { projectId: 'p', submissionId: 's', reason: 'r', clipAtFault: true },
  } as const;
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

test('a change without an event wakes no relay, and each way to add one does', async () => {
  const { env } = testEnvironment();
  await using stores = testStores({ env });
  const connection = await stores.database('kit');
  const things = connection.db!.collection<{ _id: string; state?: string; outbox?: object[] }>('watched');
  const entry = outboxEntry(erased('s'));
  const cleared = { outbox: [] };
  const changes: Record<string, object | object[]> = {
    'another field': { $set: { state: 'new' } },
    'another field of a document with waiting entries': { $set: { state: 'new' } },
    'the first': { $push: { outbox: entry } },
    'one more': { $push: { outbox: entry } },
    'by a pipeline': [{ $set: { outbox: [entry] } }],
    'all entries removed': { $set: cleared },
    'the document is replaced': [{ $replaceWith: { _id: 'the document is replaced', outbox: [entry] } }],
  };
  const before = (_id: string) => ({ _id, ...(/beside|more|away/.test(_id) && { outbox: [entry] }) });
  await things.insertMany(Object.keys(changes).map(before));
  await using stream = things.watch(WAKING);
  assert.equal(await stream.tryNext(), null, 'the stream is open, and no change has arrived');
  for (const [_id, change] of Object.entries(changes)) await things.updateOne({ _id }, change);
  await things.insertOne({ _id: 'a document without an event' });
  await things.insertOne({ _id: 'the end', outbox: [entry] });
  const woken: string[] = [];
  while (woken.at(-1) !== 'the end') {
    const change = (await stream.next()) as { documentKey?: { _id: string } };
    woken.push(String(change.documentKey?._id));
  }
  assert.deepEqual(woken, ['the first', 'one more', 'by a pipeline', 'the document is replaced', 'the end']);
});
