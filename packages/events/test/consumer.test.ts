import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import type { Consumer } from '@recording-request/kit-kafka/consumer';
import { Event } from '@recording-request/proto/events/v1/events';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { Kafka as KafkaClient, logLevel, type Producer } from 'kafkajs';
import { keyOf, newEvent } from '../src/event.ts';
import type { ConsumerOptions, Kafka } from '../src/kafka.ts';
import type { TopicName } from '../src/topics.ts';

/** The longest delay for the other members while a member joins, leaves or works long. */
const STALL_MS = 5_000;
const { env, name } = testEnvironment();
const stores = testStores({ env });
const client = new KafkaClient({ brokers: env.KAFKA_BROKERS!.split(','), logLevel: logLevel.NOTHING });
let kafka: Kafka;
let producer: Producer;
before(async () => {
  kafka = await stores.kafka();
  producer = client.producer();
  await producer.connect();
});
after(async () => {
  await producer?.disconnect();
  await stores[Symbol.asyncDispose]();
});

/** Publishes one event per submission to a partition. */
async function publish(topic: TopicName, partition: number, ...submissionIds: string[]): Promise<void> {
  const messages = submissionIds.map(submissionId => {
    const value = { projectId: 'p', submissionId, reason: 'r', clipAtFault: true };
    const event = newEvent('media.failed', { $case: 'mediaFailed', value });
    return { key: submissionId, partition, value: Buffer.from(Event.encode(event).finish()) };
  });
  await producer.send({ topic: `${name}.${topic}`, messages });
}

type Handle = (submissionId: string, signal: AbortSignal) => Promise<void>;

const consume = (topic: TopicName, handle: Handle, options: Partial<ConsumerOptions> = {}): Promise<Consumer> =>
  kafka.consume({
    ...{ topic, group: 'work', concurrency: 2, jobLimitMs: 60_000, ...options },
    handle: (event, { signal }) => handle(keyOf(event), signal),
  });

/** Publishes events and waits until all are handled. Returns the duration. */
async function timed(handled: string[], send: () => Promise<void>, ...ids: string[]): Promise<number> {
  const begun = performance.now();
  await send();
  await until(`${ids} are handled`, () => ids.every(id => handled.includes(id)), { limitMs: 40_000 });
  return performance.now() - begun;
}

test('during a long job, a joining or leaving member neither delays others nor starts the job again', async () => {
  const topic = 'media.events';
  const long = Promise.withResolvers<void>();
  const begun: string[] = [];
  const handled: string[] = [];
  const handle: Handle = async id => {
    begun.push(id);
    if (id === 'long') await long.promise;
    handled.push(id);
  };
  const first = await consume(topic, handle);
  await publish(topic, 0, 'long', 'a');
  await until('the long job runs and the next one is done', () => begun.includes('long') && handled.includes('a'));
  const joining = consume(topic, handle);
  const both = (...ids: [string, string]) =>
    timed(handled, async () => void (await Promise.all(ids.map((id, i) => publish(topic, i, id)))), ...ids);
  const whileJoining = await both('b', 'c');
  const second = await joining;
  const together = await both('d', 'e');
  const leaving = second.stop();
  const whileLeaving = await both('f', 'g');
  await leaving;
  long.resolve();
  await until('the long job ends', () => handled.includes('long'));
  await first.stop();
  for (const took of [whileJoining, together, whileLeaving]) assert.ok(took < STALL_MS, `others waited for ${took} ms`);
  assert.equal(begun.filter(id => id === 'long').length, 1, 'the long job starts once');
});

test('a dead member of an older version blocks only its own partitions, until its session expires', async () => {
  const topic = 'media.work';
  const long = Promise.withResolvers<void>();
  const begun: string[] = [];
  const handled: string[] = [];
  const living = await consume(topic, async id => {
    begun.push(id);
    if (id === 'long') await long.promise;
    handled.push(id);
  });
  await publish(topic, 0, 'long');
  await until('the long job runs', () => begun.includes('long'));
  // This member supports only one assigner. It hangs in its first batch and sends no heartbeat.
  const older = client.consumer({ groupId: `${name}.work`, sessionTimeout: 6_000, maxWaitTimeInMs: 200 });
  const hangs = Promise.withResolvers<void>();
  const joined = Promise.withResolvers<number[]>();
  older.on(older.events.GROUP_JOIN, ({ payload }) => joined.resolve(payload.memberAssignment[`${name}.${topic}`]!));
  await older.connect();
  await older.subscribe({ topic: `${name}.${topic}`, fromBeginning: true });
  await older.run({ autoCommit: false, eachBatch: () => hangs.promise });
  const [its, ...more] = await joined.promise;
  assert.deepEqual(more, [], 'the older member has one of the two partitions');
  const mine = 1 - its!;
  await publish(topic, its!, 'b');
  const took = await timed(handled, () => publish(topic, mine, 'c'), 'c');
  assert.ok(took < STALL_MS, `another partition waited for ${took} ms`);
  await until('the dead member’s event is handled', () => handled.includes('b'), { limitMs: 30_000 });
  long.resolve();
  await until('the long job ends', () => handled.includes('long'));
  hangs.reject(new Error('the test ends'));
  await Promise.all([living.stop(), older.disconnect()]);
  assert.deepEqual(begun.toSorted(), ['b', 'c', 'long'], 'each job starts once, the long one too');
});

test('a stopping worker releases its partitions at once and finishes its job; a job that does not end is abandoned', async () => {
  const topic = 'transcription.events';
  const long = Promise.withResolvers<void>();
  const handled: string[] = [];
  const endless = Promise.withResolvers<void>();
  let begun = false;
  const first = await consume(topic, async id => {
    if (id === 'long' && !begun) {
      begun = true;
      await long.promise;
    }
    handled.push(id);
  });
  await publish(topic, 0, 'long');
  await until('the long job runs', () => begun);
  const second = await consume(
    topic,
    async id => {
      // Fails like a worker when another worker holds the job.
      if (id === 'long' && !handled.includes('long')) throw new DomainError('unavailable', 'another worker has it');
      if (id === 'endless') {
        endless.resolve();
        await new Promise(() => {});
      }
      handled.push(id);
    },
    { stopGraceMs: 100 },
  );
  const stopping = first.stop();
  const took = await timed(handled, () => publish(topic, 0, 'a', 'b'), 'a', 'b');
  assert.ok(took < STALL_MS, `the records behind the job of a stopping worker waited for ${took} ms`);
  assert.ok(!handled.includes('long'), 'the job is still running');
  long.resolve();
  await stopping;
  await until('the other worker finds the job done', () => handled.filter(id => id === 'long').length === 2);
  await publish(topic, 1, 'endless');
  await endless.promise;
  const begunStop = performance.now();
  await second.stop();
  assert.ok(performance.now() - begunStop < 10_000, 'a stop waits forever for a handler that ignores its signal');
});

test('a record that keeps failing or waits for a store blocks only its own submission, for a limited time', async () => {
  const topic = 'submissions.events';
  const tries = new Map<string, number>();
  const handled: string[] = [];
  const consumer = await consume(
    topic,
    async id => {
      const count = (tries.get(id) ?? 0) + 1;
      tries.set(id, count);
      if (id === 'broken') throw new Error('this job never ends');
      if (id === 'away' && count <= 4) throw new DomainError(count % 2 ? 'unavailable' : 'timeout', 'not now');
      handled.push(id);
    },
    { concurrency: 1, maxAttempts: 3 },
  );
  const took = await timed(handled, () => publish(topic, 0, 'broken', 'away', 'good'), 'good');
  assert.ok(took < STALL_MS, `others waited for ${took} ms`);
  const letters = client.admin();
  await letters.connect();
  const deadLetters = async () =>
    (await letters.fetchTopicOffsets(`${name}.parked`)).reduce((sum, { high }) => sum + Number(high), 0);
  await until('one dead letter', async () => (await deadLetters()) === 1);
  await until('the store is back', () => handled.includes('away'));
  assert.deepEqual(
    [...tries],
    [
      ['broken', 3],
      ['away', 5],
      ['good', 1],
    ],
    'an outage is not counted; failures are counted and end in a dead letter',
  );
  const value = (submissionId: string) =>
    Buffer.from(
      Event.encode(
        newEvent('submission.erased', { $case: 'submissionErased', value: { projectId: 'p', submissionId } }),
      ).finish(),
    );
  for (const group of ['another', 'work'])
    await kafka.replay({ topic, group, key: Buffer.from('k'), value: value(`replayed for ${group}`) });
  await until('the event replayed for this group is handled', () => handled.includes('replayed for work'));
  assert.ok(!tries.has('replayed for another'), 'a group skips a record that was replayed for another');
  const left = async () => {
    const ends = await letters.fetchTopicOffsets(`${name}.${topic}`);
    const [at] = await letters.fetchOffsets({ groupId: `${name}.work`, topics: [`${name}.${topic}`] });
    return (
      ends.reduce((sum, { high }) => sum + Number(high), 0) -
      at!.partitions.reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0)
    );
  };
  await until('all records are committed', async () => (await left()) === 0);
  await Promise.all([consumer.stop(), letters.disconnect()]);
});
