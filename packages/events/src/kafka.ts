import {
  connectKafka as connect,
  type Kafka as KafkaOf,
  type KafkaOptions,
  type KafkaSettings,
} from '@recording-request/kit/kafka';
import type { ConsumerOptions as ConsumerOptionsOf } from '@recording-request/kit/kafka-consumer';
import type { OutgoingRecord, RecordFormat } from '@recording-request/kit/kafka-record';
import type { OutboxEntry } from '@recording-request/kit/outbox';
import { contextOf } from '@recording-request/kit/telemetry/span';
import { Event } from '@recording-request/proto/events/v1/events';
import { missingFrom, subjectIn, submissionIdOf } from './event.ts';
import { DEAD_LETTER_TOPIC, type EventType, TOPICS, type TopicName, topicOf } from './topics.ts';

/** Kafka with the product's events as its messages. */
export type Kafka = KafkaOf<Event>;
export type ConsumerOptions = ConsumerOptionsOf<Event> & { topic: TopicName };

const FORMAT: RecordFormat<Event> = {
  topics: TOPICS,
  deadLetterTopic: DEAD_LETTER_TOPIC,
  encode: recordOf,
  decode: value => Event.decode(value),
  missingFrom,
  describe: event => ({ id: event.id, type: event.type, subject: subjectIn(event), context: contextOf(event) }),
};

/** Connects to Kafka, and creates the product's topics that do not exist yet. */
export const connectKafka = (config: KafkaSettings, options: Omit<KafkaOptions<Event>, 'format'>): Promise<Kafka> =>
  connect(config, { ...options, format: FORMAT });

/** Returns what a document carries of an event until the relay has published it. */
export function outboxEntry(event: Event): OutboxEntry {
  return { id: event.id, at: event.occurredAt ?? new Date(), ...recordOf(event) };
}

function recordOf(event: Event): OutgoingRecord {
  return {
    topic: topicOf(event.type as EventType),
    key: submissionIdOf(event),
    value: Buffer.from(Event.encode(event).finish()),
  };
}
