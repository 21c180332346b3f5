import { setTimeout as delay } from 'node:timers/promises';
import { propagation, SpanKind, trace } from '@opentelemetry/api';
import { Event } from '@recording-request/proto/events/v1/events';
import { type Admin, Kafka as KafkaClient, logLevel, type Message, Partitioners, type Producer } from 'kafkajs';
import { backoffMs } from './bounds.ts';
import { contextOf, type EventType, submissionIdOf, TOPICS, type TopicName, topicOf } from './events.ts';
import { type Consumer, type ConsumerOptions, startConsumer } from './kafka-consumer.ts';
import { longestRetention, RETENTION } from './kafka-retention.ts';
import type { Logger } from './log.ts';

/** A record that is ready to be sent: an encoded Event. */
export interface OutgoingRecord {
  topic: string;
  key: string;
  value: Buffer;
}

export interface Kafka {
  /** Resolves when all in-sync replicas have the event. */
  publish(event: Event): Promise<void>;
  publishRecords(records: OutgoingRecord[]): Promise<void>;
  /** Handles the events of a topic, one at a time in each slot. */
  consume(options: ConsumerOptions): Promise<Consumer>;
  /** How long a record lasts at most, in ms, in the topic that keeps longest; Infinity where one keeps for ever. */
  longestRetention(): Promise<number>;
  close(): Promise<void>;
}

export interface KafkaOptions {
  brokers: string[];
  clientId: string;
  topicPrefix: string;
  /** For topics that do not exist yet; -1 replicas takes the broker's default. */
  partitions: number;
  replication: number;
  log: Logger;
}

const REQUEST_MS = 15_000;
const TOPICS_MS = 60_000;
const LEVELS = { [logLevel.ERROR]: 'error', [logLevel.WARN]: 'warn', [logLevel.INFO]: 'debug' } as const;
const tracer = trace.getTracer('kafka');

/** Connects, and makes the topics that are missing. */
export async function connectKafka(options: KafkaOptions): Promise<Kafka> {
  const { topicPrefix, log } = options;
  const client = new KafkaClient({
    clientId: options.clientId,
    brokers: options.brokers,
    connectionTimeout: 3_000,
    requestTimeout: REQUEST_MS,
    retry: { initialRetryTime: 100, maxRetryTime: 5_000, retries: 8 },
    logCreator: () => entry => {
      const { message, timestamp: _, ...details } = entry.log;
      log[LEVELS[entry.level as keyof typeof LEVELS] ?? 'debug']({ kafka: details }, message);
    },
  });
  await ensureTopics(client, options);
  const producer = client.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  const consumers = new Set<Consumer>();
  const send = (records: OutgoingRecord[]) => sendRecords(producer, topicPrefix, records);
  return {
    publish: event => send([recordOf(event)]),
    publishRecords: send,
    async consume(consumerOptions) {
      const consumer = await startConsumer(consumerOptions, {
        client,
        topicPrefix,
        log,
        park: message => producer.send({ topic: `${topicPrefix}parked`, acks: -1, messages: [message] }).then(() => {}),
      });
      consumers.add(consumer);
      return consumer;
    },
    longestRetention: () => longestRetention(client, topicPrefix),
    async close() {
      await Promise.all([...consumers].map(consumer => consumer.stop()));
      await producer.disconnect();
    },
  };
}

/** The record of an event: its topic by its type, its key the submission's id. */
export function recordOf(event: Event): OutgoingRecord {
  return {
    topic: topicOf(event.type as EventType),
    key: submissionIdOf(event),
    value: Buffer.from(Event.encode(event).finish()),
  };
}

async function sendRecords(producer: Producer, prefix: string, records: OutgoingRecord[]): Promise<void> {
  const byTopic = new Map<string, Message[]>();
  for (const { topic, key, value } of records) {
    const messages = byTopic.get(topic) ?? [];
    messages.push(traced(topic, { key, value }));
    byTopic.set(topic, messages);
  }
  await producer.sendBatch({
    acks: -1,
    timeout: REQUEST_MS,
    topicMessages: [...byTopic].map(([topic, messages]) => ({ topic: prefix + topic, messages })),
  });
}

// The relay sends long after the request that caused the event: the span belongs to that request's trace, not the relay's.
function traced(topic: string, message: { key: string; value: Buffer }): Message {
  const event = Event.decode(message.value);
  const span = tracer.startSpan(
    `${topic} publish`,
    {
      kind: SpanKind.PRODUCER,
      attributes: {
        'messaging.system': 'kafka',
        'messaging.destination.name': topic,
        'messaging.message.id': event.id,
      },
    },
    contextOf(event),
  );
  const headers: Record<string, string> = {};
  propagation.inject(trace.setSpan(contextOf(event), span), headers);
  span.end();
  return { ...message, headers };
}

// Six services that start at once make the same topics at once: while a topic is being made, brokers answer that they do
// not host it.
async function ensureTopics(client: KafkaClient, options: KafkaOptions): Promise<void> {
  const admin = client.admin();
  await admin.connect();
  try {
    const until = Date.now() + TOPICS_MS;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await createMissing(admin, options);
      } catch (error) {
        if (Date.now() > until) throw error;
        options.log.debug({ err: error }, 'The topics are not there yet');
        await delay(backoffMs(attempt, 100, 2_000));
      }
    }
  } finally {
    await admin.disconnect();
  }
}

async function createMissing(admin: Admin, options: KafkaOptions): Promise<void> {
  const wanted = TOPICS.map((topic: TopicName) => options.topicPrefix + topic);
  const present = new Set(await admin.listTopics());
  const topics = wanted
    .filter(topic => !present.has(topic))
    .map(topic => ({
      topic,
      numPartitions: options.partitions,
      replicationFactor: options.replication,
      configEntries: RETENTION,
    }));
  if (topics.length === 0) return;
  await admin.createTopics({ topics, waitForLeaders: true, timeout: REQUEST_MS });
  // Where another service was quicker, kafkajs returns at once, and the broker may not yet know what is being made.
  await admin.fetchTopicMetadata({ topics: wanted });
}
