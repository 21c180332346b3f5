import { propagation, SpanKind, trace } from '@opentelemetry/api';
import { Kafka as KafkaClient, type Message } from 'kafkajs';
import { bounded } from './bounds.ts';
import { type DeadLetter, replayHeaders } from './dead-letter.ts';
import { type Consumer, type ConsumerOptions, startConsumer, startRawConsumer } from './kafka-consumer.ts';
import { kafkaLog } from './kafka-log.ts';
import { createPartitionProducer } from './kafka-producer.ts';
import { type PublishOutcome, sendRecords, sendUntilTaken } from './kafka-publish.ts';
import type { OutgoingRecord, RecordFormat, TakenRecord } from './kafka-record.ts';
import { longestRetention } from './kafka-retention.ts';
import { kafkaSecurity } from './kafka-security.ts';
import { ensureTopics } from './kafka-topics.ts';
import type { KafkaSettings } from './kafka-variables.ts';
import type { Logger } from './log.ts';
import { countOf, durationOf, observe, secondsSince } from './telemetry/metrics.ts';
import { subjectAttributes } from './telemetry/subject.ts';

export interface Kafka<M> {
  /**
   * Resolves when all in-sync replicas have the message. While Kafka is away it tries again for a minute, then fails with
   * PublishError. The message may come twice.
   */
  publish(message: M): Promise<void>;
  /**
   * Sends records once, those of one partition in their order, and returns the outcome of each: undefined when all in-sync
   * replicas have it, otherwise why it may not be there. One that is too large keeps no others back;
   * after another failure the later ones of its partition are not sent.
   */
  publishRecords(records: OutgoingRecord[]): Promise<PublishOutcome[]>;
  /** Returns the name of the partition that a record belongs to. */
  partitionOf(record: OutgoingRecord): string;
  /** Puts a reference to a record that the broker refuses into the dead letter topic. `by` names who could not send it. */
  setAside(record: OutgoingRecord & { id: string }, by: string, reason: string): Promise<void>;
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

export type { KafkaSettings };

export interface KafkaOptions<M> {
  clientId: string;
  format: RecordFormat<M>;
  log: Logger;
  /** How long an answer of a broker is waited for; 15 s by default. */
  requestMs?: number;
}

const REQUEST_MS = 15_000;
const CONNECT_MS = 30_000;
const PUBLISH_MS = 60_000;
const CLOSE_MS = 15_000;
const tracer = trace.getTracer('kafka');
const countSent = countOf('messaging.client.sent.messages');
const sendDuration = durationOf('messaging.client.operation.duration');

/**
 * Connects, and creates the topics that are missing. Fails with a StartError where somebody has to change something first: a login that
 * Kafka refuses, a certificate that is not believed, a topic with less than the settings ask for.
 */
export async function connectKafka<M>(
  settings: KafkaSettings,
  { clientId, format, log, requestMs = REQUEST_MS }: KafkaOptions<M>,
): Promise<Kafka<M>> {
  const { kafkaTopicPrefix: topicPrefix } = settings;
  const common = {
    clientId,
    brokers: settings.kafkaBrokers,
    connectionTimeout: 3_000,
    requestTimeout: requestMs,
    ...kafkaSecurity(settings),
    logCreator: kafkaLog(log),
  };
  const client = new KafkaClient({ ...common, retry: { initialRetryTime: 100, maxRetryTime: 5_000, retries: 8 } });
  // What cannot pass by itself is told at once, not after every try of the library's.
  const once = new KafkaClient({ ...common, retry: { retries: 0 } });
  const partitions = await ensureTopics(once, settings, { names: format.topics, log });
  // Who sends decides about trying again, so that a send that fails is known to have failed.
  const sending = new KafkaClient({ ...common, retry: { initialRetryTime: 100, retries: 1 } });
  const producer = createPartitionProducer(sending, { partitions, requestMs, log });
  await sendUntilTaken(() => producer.connect(), CONNECT_MS);
  const endReport = observe('recording.kafka.connected', () => [[producer.isConnected() ? 1 : 0, {}]]);
  const consumers = new Set<Consumer>();
  const partitionOf = ({ topic, key }: OutgoingRecord) => producer.partitionOf(topicPrefix + topic, key);
  const send = async (topic: string, partition: number, messages: Message[]) => {
    const startedAt = performance.now();
    const note = (outcome: string) => {
      const attributes = { 'messaging.destination.name': topic, 'recording.outcome': outcome };
      countSent(attributes, messages.length);
      sendDuration(secondsSince(startedAt), attributes);
    };
    try {
      await producer.send(topic, partition, messages);
      note('ok');
    } catch (error) {
      note('failed');
      throw error;
    }
  };
  const sendOne = (topic: string, message: Message) => {
    const partition = producer.partitionOf(topicPrefix + topic, message.key ?? null);
    return sendUntilTaken(() => send(topicPrefix + topic, partition, [message]), PUBLISH_MS);
  };
  const deadLetter = (message: Message) => sendOne(format.deadLetterTopic, message);
  return {
    publish(message) {
      const { topic, key, value } = format.encode(message);
      return sendOne(topic, traced(format, topic, { key, value }));
    },
    publishRecords: records =>
      sendRecords(records, partitionOf, (topic, partition, some) =>
        send(
          topicPrefix + topic,
          partition,
          some.map(({ key, value }) => traced(format, topic, { key, value })),
        ),
      ),
    partitionOf: record => `${record.topic}/${partitionOf(record)}`,
    setAside(record, by, reason) {
      const headers = {
        'parked-from': record.topic,
        'parked-by': by,
        'parked-reason': reason,
        'parked-partition': String(partitionOf(record)),
        // It has none.
        'parked-offset': record.id,
        'parked-without': 'its value',
      };
      return deadLetter({ key: record.key, value: null, headers });
    },
    async consume(consumerOptions) {
      const consumer = await startConsumer(consumerOptions, { client, topicPrefix, format, log, deadLetter });
      consumers.add(consumer);
      return consumer;
    },
    async consumeRecords(consumerOptions) {
      const consumer = await startRawConsumer(consumerOptions, { client, topicPrefix, log });
      consumers.add(consumer);
      return consumer;
    },
    replay: ({ topic, group, key, value }) => sendOne(topic, { key, value, headers: replayHeaders(group) }),
    longestRetention: () =>
      longestRetention(
        client,
        format.topics.map(topic => topicPrefix + topic),
      ),
    async close() {
      const stopping = Promise.all([...consumers].map(consumer => consumer.stop()));
      await bounded(stopping, CLOSE_MS, 'stopping the consumers').catch(err =>
        log.warn({ err }, 'Kafka is closed before its consumers have stopped'),
      );
      endReport();
      await producer.close();
    },
  };
}

// The relay sends long after the request that caused the message: the span belongs to that request's trace, not the relay's.
function traced<M>(format: RecordFormat<M>, topic: string, message: { key: string; value: Buffer }): Message {
  const { id, subject, context } = format.describe(format.decode(message.value));
  const span = tracer.startSpan(
    `${topic} publish`,
    {
      kind: SpanKind.PRODUCER,
      attributes: {
        'messaging.system': 'kafka',
        'messaging.destination.name': topic,
        'messaging.message.id': id,
        ...subjectAttributes(subject),
      },
    },
    context,
  );
  const headers: Record<string, string> = {};
  propagation.inject(trace.setSpan(context, span), headers);
  span.end();
  return { ...message, headers };
}
