import { setTimeout as delay } from 'node:timers/promises';
import { propagation, SpanKind, trace } from '@opentelemetry/api';
import { type Admin, Kafka as KafkaClient, logLevel, type Message, Partitioners, type Producer } from 'kafkajs';
import { backoffMs } from './bounds.ts';
import type { kafkaVariables, Values } from './config.ts';
import { type DeadLetter, replayHeaders } from './dead-letter.ts';
import { type Consumer, type ConsumerOptions, startConsumer, startRawConsumer } from './kafka-consumer.ts';
import type { OutgoingRecord, RecordFormat, TakenRecord } from './kafka-record.ts';
import { longestRetention, RETENTION } from './kafka-retention.ts';
import type { Logger } from './log.ts';

export interface Kafka<M> {
  /** Resolves when all in-sync replicas have the message. */
  publish(message: M): Promise<void>;
  publishRecords(records: OutgoingRecord[]): Promise<void>;
  /** Handles the messages of a topic, at most `concurrency` at once. */
  consume(options: ConsumerOptions<M>): Promise<Consumer>;
  /** Handles the records of a topic as they are. One that cannot be handled is logged and skipped. */
  consumeRecords(options: ConsumerOptions<TakenRecord>): Promise<Consumer>;
  /** Publishes a dead letter to its topic again, for the group alone that could not handle it. */
  replay(letter: Pick<DeadLetter, 'topic' | 'group' | 'key' | 'value'>): Promise<void>;
  /** Returns how long a record lasts at most, in ms, in the topic that keeps longest; Infinity when one keeps for ever. */
  longestRetention(): Promise<number>;
  close(): Promise<void>;
}

/** The Kafka slice of a service's configuration. Partitions and replicas are for topics that do not exist yet. */
export type KafkaSettings = Values<typeof kafkaVariables>;

interface KafkaOptions<M> {
  clientId: string;
  format: RecordFormat<M>;
  log: Logger;
}

const REQUEST_MS = 15_000;
const TOPICS_MS = 60_000;
const LEVELS = { [logLevel.ERROR]: 'error', [logLevel.WARN]: 'warn', [logLevel.INFO]: 'debug' } as const;
const tracer = trace.getTracer('kafka');

/** Connects, and creates the topics that are missing. */
export async function connectKafka<M>(
  settings: KafkaSettings,
  { clientId, format, log }: KafkaOptions<M>,
): Promise<Kafka<M>> {
  const { kafkaTopicPrefix: topicPrefix } = settings;
  const client = new KafkaClient({
    clientId,
    brokers: settings.kafkaBrokers,
    connectionTimeout: 3_000,
    requestTimeout: REQUEST_MS,
    retry: { initialRetryTime: 100, maxRetryTime: 5_000, retries: 8 },
    logCreator: () => entry => {
      const { message, timestamp: _, ...details } = entry.log;
      log[LEVELS[entry.level as keyof typeof LEVELS] ?? 'debug']({ kafka: details }, message);
    },
  });
  await ensureTopics(client, settings, format, log);
  const producer = client.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  const consumers = new Set<Consumer>();
  const send = (records: OutgoingRecord[]) => sendRecords(producer, format, topicPrefix, records);
  return {
    publish: message => send([format.encode(message)]),
    publishRecords: send,
    async consume(consumerOptions) {
      const consumer = await startConsumer(consumerOptions, {
        client,
        topicPrefix,
        format,
        log,
        async deadLetter(message) {
          await producer.send({ topic: topicPrefix + format.deadLetterTopic, acks: -1, messages: [message] });
        },
      });
      consumers.add(consumer);
      return consumer;
    },
    async consumeRecords(consumerOptions) {
      const consumer = await startRawConsumer(consumerOptions, { client, topicPrefix, log });
      consumers.add(consumer);
      return consumer;
    },
    async replay({ topic, group, key, value }) {
      const messages = [{ key, value, headers: replayHeaders(group) }];
      await producer.send({ topic: topicPrefix + topic, acks: -1, messages });
    },
    longestRetention: () =>
      longestRetention(
        client,
        format.topics.map(topic => topicPrefix + topic),
      ),
    async close() {
      await Promise.all([...consumers].map(consumer => consumer.stop()));
      await producer.disconnect();
    },
  };
}

async function sendRecords<M>(
  producer: Producer,
  format: RecordFormat<M>,
  prefix: string,
  records: OutgoingRecord[],
): Promise<void> {
  const byTopic = new Map<string, Message[]>();
  for (const { topic, key, value } of records) {
    const messages = byTopic.get(topic) ?? [];
    messages.push(traced(format, topic, { key, value }));
    byTopic.set(topic, messages);
  }
  await producer.sendBatch({
    acks: -1,
    timeout: REQUEST_MS,
    topicMessages: [...byTopic].map(([topic, messages]) => ({ topic: prefix + topic, messages })),
  });
}

// The relay sends long after the request that caused the message: the span belongs to that request's trace, not the relay's.
function traced<M>(format: RecordFormat<M>, topic: string, message: { key: string; value: Buffer }): Message {
  const { id, context } = format.describe(format.decode(message.value));
  const span = tracer.startSpan(
    `${topic} publish`,
    {
      kind: SpanKind.PRODUCER,
      attributes: {
        'messaging.system': 'kafka',
        'messaging.destination.name': topic,
        'messaging.message.id': id,
      },
    },
    context,
  );
  const headers: Record<string, string> = {};
  propagation.inject(trace.setSpan(context, span), headers);
  span.end();
  return { ...message, headers };
}

// Six services that start at once create the same topics at once: while a topic is being created, brokers answer that
// they do not host it.
async function ensureTopics<M>(
  client: KafkaClient,
  settings: KafkaSettings,
  format: RecordFormat<M>,
  log: Logger,
): Promise<void> {
  const admin = client.admin();
  await admin.connect();
  try {
    const until = Date.now() + TOPICS_MS;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await createMissing(admin, settings, format.topics);
      } catch (error) {
        if (Date.now() > until) throw error;
        log.debug({ err: error }, 'The topics are not there yet');
        await delay(backoffMs(attempt, 100, 2_000));
      }
    }
  } finally {
    await admin.disconnect();
  }
}

async function createMissing(admin: Admin, settings: KafkaSettings, names: readonly string[]): Promise<void> {
  const wanted = names.map(name => settings.kafkaTopicPrefix + name);
  const present = new Set(await admin.listTopics());
  const topics = wanted
    .filter(topic => !present.has(topic))
    .map(topic => ({
      topic,
      numPartitions: settings.kafkaPartitions,
      replicationFactor: settings.kafkaReplication,
      configEntries: RETENTION,
    }));
  if (topics.length === 0) return;
  await admin.createTopics({ topics, waitForLeaders: true, timeout: REQUEST_MS });
  // When another service was quicker, kafkajs returns at once, and the broker may not know the new topics yet.
  await admin.fetchTopicMetadata({ topics: wanted });
}
