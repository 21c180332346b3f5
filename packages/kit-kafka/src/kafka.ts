import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { bounded } from '@recording-request/kit/bounds';
import type { Logger } from '@recording-request/kit/log';
import { countOf, durationOf, observe, secondsSince } from '@recording-request/kit-telemetry/metrics';
import { idsOf } from '@recording-request/kit-telemetry/subject';
import { Kafka as KafkaClient, type Message } from 'kafkajs';
import { type Consumer, type ConsumerOptions, startConsumer, startRawConsumer } from './consumer.ts';
import { type DeadLetter, replayHeaders } from './dead-letter.ts';
import { restIdleConnections } from './idle-connections.ts';
import { kafkaLog } from './log.ts';
import { createPartitionProducer } from './producer.ts';
import { type PublishOutcome, sendRecords, sendUntilTaken } from './publish.ts';
import type { OutgoingRecord, RecordFormat, TakenRecord } from './record.ts';
import { longestRetention } from './retention.ts';
import { kafkaSecurity } from './security.ts';
import { createSendSpans, type SentEvent } from './spans.ts';
import { findTopics } from './topics.ts';
import type { KafkaSettings } from './variables.ts';

export interface Kafka<M> {
  /**
   * Resolves when all in-sync replicas have the message. Retries for a minute while Kafka is unreachable, then fails with
   * PublishError. The message may come twice.
   */
  publish(message: M): Promise<void>;
  /**
   * Sends records once, in order within each partition. Returns each record's outcome: undefined when all in-sync
   * replicas have the record, otherwise the error. A record that is too large does not block other records. After any
   * other failure, the later records of that partition are not sent.
   */
  publishRecords(records: OutgoingRecord[]): Promise<PublishOutcome[]>;
  /** Returns the name of the partition that a record belongs to. */
  partitionOf(record: OutgoingRecord): string;
  /** Puts a reference to a record that the broker refuses into the dead letter topic. `by` names the sender. */
  setAside(record: OutgoingRecord & { id: string }, by: string, reason: string): Promise<void>;
  /** Handles the messages of a topic, at most `concurrency` at once. */
  consume(options: ConsumerOptions<M>): Promise<Consumer>;
  /** Handles the raw records of a topic. Logs and skips a record that cannot be handled. */
  consumeRecords(options: ConsumerOptions<TakenRecord>): Promise<Consumer>;
  /**
   * Publishes a dead letter to its topic again, in the active trace. Only the group that failed to handle it handles it
   * again.
   */
  replay(letter: Pick<DeadLetter, 'topic' | 'group' | 'key' | 'value'>): Promise<void>;
  /** Returns the longest retention of all topics, in milliseconds; Infinity when a topic keeps records forever. */
  longestRetention(): Promise<number>;
  close(): Promise<void>;
}

export type { KafkaSettings };

export interface KafkaOptions<M> {
  clientId: string;
  format: RecordFormat<M>;
  log: Logger;
  /** The wait for a broker's answer, in milliseconds; 15 s by default. */
  requestMs?: number;
}

const REQUEST_MS = 15_000;
const CONNECT_MS = 30_000;
const PUBLISH_MS = 60_000;
const CLOSE_MS = 15_000;
const countSent = countOf('messaging.client.sent.messages');
const sendDuration = durationOf('messaging.client.operation.duration');

/**
 * Connects. Fails with a StartError when an operator must change something first: Kafka refuses the login, a certificate is not
 * trusted, a topic is missing, or a topic has fewer replicas than the settings ask for.
 */
export async function connectKafka<M>(
  settings: KafkaSettings,
  { clientId, format, log, requestMs = REQUEST_MS }: KafkaOptions<M>,
): Promise<Kafka<M>> {
  restIdleConnections();
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
  // Without retries in kafkajs, this code can report a permanent fault at once.
  const once = new KafkaClient({ ...common, retry: { retries: 0 } });
  const partitions = await findTopics(once, settings, { names: format.topics, log });
  // The sender decides whether to retry, so it must see every failed send.
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
      const offset = await producer.send(topic, partition, messages);
      note('ok');
      return offset;
    } catch (error) {
      note('failed');
      throw error;
    }
  };
  const sendSpans = createSendSpans(topicPrefix);
  const sendTraced = async (topic: string, partition: number, events: SentEvent[]) => {
    const spans = sendSpans.begin(topic, partition, events);
    const sent = events.map(({ message }, at) => ({
      ...message,
      headers: { ...message.headers, ...spans.headers[at] },
    }));
    await send(topicPrefix + topic, partition, sent).then(spans.acknowledged, spans.failed);
  };
  const partitionFor = (topic: string, key: Message['key']) => producer.partitionOf(topicPrefix + topic, key ?? null);
  const sendEvent = (topic: string, event: SentEvent) => {
    const partition = partitionFor(topic, event.message.key);
    return sendUntilTaken(() => sendTraced(topic, partition, [event]), PUBLISH_MS);
  };
  const deadLetter = (message: Message) => {
    const partition = partitionFor(format.deadLetterTopic, message.key);
    return sendUntilTaken(
      () => send(topicPrefix + format.deadLetterTopic, partition, [message]).then(() => {}),
      PUBLISH_MS,
    );
  };
  const eventOf = ({ key, value }: Pick<OutgoingRecord, 'key' | 'value'>): SentEvent => {
    const { id, type, subject, context: cause } = format.describe(format.decode(value));
    return { id, type, subject, cause, message: { key, value } };
  };
  return {
    publish(message) {
      const record = format.encode(message);
      return sendEvent(record.topic, eventOf(record));
    },
    publishRecords: records =>
      sendRecords(records, partitionOf, (topic, partition, some) => sendTraced(topic, partition, some.map(eventOf))),
    partitionOf: record => `${record.topic}/${partitionOf(record)}`,
    async setAside(record, by, reason) {
      const headers = {
        'parked-from': record.topic,
        'parked-by': by,
        'parked-reason': reason,
        'parked-partition': String(partitionOf(record)),
        // The record was never written, so it has no offset: the id replaces the offset.
        'parked-offset': record.id,
        'parked-without': 'its value',
      };
      await deadLetter({ key: record.key, value: null, headers });
      const { id: event, topic, value } = record;
      const { subject, context: cause } = described(format, value);
      const about = { event, topic, bytes: value.length, by, reason, ...idsOf(subject) };
      context.with(cause, () => log.error(about, 'An event is too large and was set aside'));
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
    replay({ topic, group, key, value }) {
      const message: Message = { key, value, headers: replayHeaders(group) };
      const { id, type, subject } = described(format, value);
      return sendEvent(topic, { id, type, subject, cause: context.active(), message });
    },
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

/** Describes a record that may not be a message. */
function described<M>(format: RecordFormat<M>, value: Buffer | null): ReturnType<RecordFormat<M>['describe']> {
  try {
    return format.describe(format.decode(value!));
  } catch {
    return { id: '', type: '', subject: {}, context: ROOT_CONTEXT };
  }
}
