import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hasStopped } from '@recording-request/harness/proc';
import { loadConfig } from '@recording-request/kit/config';
import { createLogger } from '@recording-request/kit/log';
import type { KafkaSettings } from '@recording-request/kit-kafka/kafka';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import type { Event } from '@recording-request/proto/events/v1/events';
import { type Servers, startServers } from '@recording-request/stack/servers';
import { testEnvironment } from '@recording-request/testing/environment';
import { openInbox } from '@recording-request/testing/event-inbox';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { newEvent } from '../src/event.ts';
import { connectKafka, makeTopics, outboxEntry } from '../src/kafka.ts';
import { startRelay } from '../src/outbox.ts';
import { secureBrokerTests, secureListeners } from './secure-broker.ts';

// Long enough for a broker that has just started on a busy machine, short enough that the relay soon gives up.
const REQUEST_MS = 1_000;
const log = createLogger('test', 'silent');
let dataDir = '';
let servers: Servers;
let env: NodeJS.ProcessEnv;
let kafka: KafkaSettings;
let secureKafka: Awaited<ReturnType<typeof secureListeners>>;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'broker-stops-'));
  const { KAFKA_BROKERS: _, ...others } = process.env;
  secureKafka = await secureListeners();
  servers = await startServers({ dataDir, only: ['kafka'], secureKafka, log: () => {}, env: others });
  env = testEnvironment(servers.env).env;
  kafka = loadConfig(env, kafkaVariables);
  await makeTopics(kafka, { log, report: () => {} });
});
after(async () => {
  await servers?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Pauses the broker's process until the returned function is called or the test ends. */
async function stopBroker(stack: AsyncDisposableStack): Promise<() => void> {
  const { pid } = servers.servers.kafka!;
  process.kill(pid!, 'SIGSTOP');
  const resume = () => void process.kill(pid!, 'SIGCONT');
  stack.defer(resume);
  await until('every thread of the broker is stopped', () => hasStopped(pid!));
  return resume;
}

test('events wait for a hanging Kafka, longer than a producer retries, and then all arrive in the order of their key', async () => {
  await using stack = new AsyncDisposableStack();
  const reader = stack.adopt(await connectKafka(kafka, { clientId: 'reader', log }), each => each.close());
  const inbox = await openInbox(reader, 'media.events');
  const writer = stack.adopt(await connectKafka(kafka, { clientId: 'writer', log, requestMs: REQUEST_MS }), each =>
    each.close(),
  );
  let failures = 0;
  const publishRecords: typeof writer.publishRecords = async records => {
    const outcomes = await writer.publishRecords(records);
    if (outcomes.some(Boolean)) failures += 1;
    return outcomes;
  };
  const connection = await stack.use(testStores({ env })).database('kit');
  const things = connection.db!.collection<{ _id: string; outbox: object[] }>('things');
  await things.createIndex({ 'outbox.at': 1 }, { sparse: true });
  const options = { connection, name: 'things', collections: { things: '_id' }, log, pollMs: 100, restMs: 100 };
  stack.adopt(startRelay({ ...options, kafka: { ...writer, publishRecords } }), relay => relay.stop());
  const carried: Event[] = [];
  const carry = async (submissionId: string, count: number) => {
    const events = Array.from({ length: count }, (_, at) => failed(submissionId, String(at)));
    carried.push(...events);
    await things.insertOne({ _id: submissionId, outbox: events.map(outboxEntry) });
  };

  // Publishes to every partition, so that each has a producer sequence.
  for (const at of [1, 2, 3, 4]) await carry(`before-${at}`, 1);
  await until('the first events arrive', () => inbox.events.length === carried.length);
  const stoppedAt = inbox.events.length;
  const resume = await stopBroker(stack);
  await carry('alone', 1);
  await until('the relay has failed', () => failures > 0);
  for (const at of [1, 2, 3, 4, 5, 6]) await carry(`during-${at}`, 3);
  // A worker publishes directly, without an outbox, so its events are only in Kafka.
  const published = Array.from({ length: 4 }, (_, at) => failed('of a worker', String(at)));
  const publishing = Promise.all(published.map(event => writer.publish(event)));
  const again = failures;
  await until('the relay has failed again', () => failures > again);
  resume();

  await publishing;
  const wanted = [...carried, ...published].map(({ id }) => id);
  const missing = () => wanted.filter(id => !inbox.events.some(event => event.id === id));
  await until('every event has arrived', () => missing().length === 0).catch(() => {});
  assert.deepEqual(missing(), [], 'no event is lost');
  await until(
    'every event is cleared',
    async () => (await things.countDocuments({ 'outbox.at': { $exists: true } })) === 0,
  );
  const order = (submissionId: string) => [
    ...new Set(inbox.events.filter(event => submissionOf(event) === submissionId).map(({ id }) => id)),
  ];
  for (const [submissionId, events] of Map.groupBy(carried, submissionOf))
    assert.deepEqual(
      order(submissionId),
      events.map(({ id }) => id),
      `the events of ${submissionId} are in order`,
    );
  const repeated = inbox.events.length - wanted.length;
  assert.ok(repeated <= wanted.length - stoppedAt, `${repeated} of ${wanted.length} events came again`);
});

test('a connection to a hanging Kafka closes within a time limit', async () => {
  await using stack = new AsyncDisposableStack();
  const writer = await connectKafka(kafka, { clientId: 'writer', log, requestMs: REQUEST_MS });
  await stopBroker(stack);
  const publishing = writer.publish(failed('s', 'r'));
  const startedAt = performance.now();
  await Promise.all([writer.close(), assert.rejects(publishing)]);
  assert.ok(performance.now() - startedAt < 8_000, 'the close took longer than its limit');
});

secureBrokerTests(() => ({ dir: dataDir, listeners: secureKafka, env }));

const failed = (submissionId: string, reason: string): Event =>
  newEvent('media.failed', {
    $case: 'mediaFailed',
    value: { projectId: 'p', submissionId, reason, clipAtFault: true },
  });

const submissionOf = (event: Event) => (event.payload!.value as { submissionId: string }).submissionId;
