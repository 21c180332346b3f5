import type { ConsumerOptions as ConsumerOptionsOf } from '@recording-request/kit-kafka/consumer';
import {
  connectKafka as connect,
  type Kafka as KafkaOf,
  type KafkaOptions,
  type KafkaSettings,
} from '@recording-request/kit-kafka/kafka';
import { type MakeTopics, makeTopics as make } from '@recording-request/kit-kafka/make-topics';
import type { OutgoingRecord, RecordFormat } from '@recording-request/kit-kafka/record';
import { contextOf } from '@recording-request/kit-telemetry/span';
import { Event } from '@recording-request/proto/events/v1/events';
import { keyOf, missingFrom, subjectIn } from './event.ts';
import type { OutboxEntry } from './outbox.ts';
import { DEAD_LETTER_TOPIC, type EventType, TOPICS, type TopicName, topicOf } from './topics.ts';

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

/** Connects to Kafka. Fails with a StartError when one of the product's topics is missing. */
export const connectKafka = (config: KafkaSettings, options: Omit<KafkaOptions<Event>, 'format'>): Promise<Kafka> =>
  connect(config, { ...options, format: FORMAT });

/** Creates the product's topics with the configured partitions and copies: see `makeTopics` of the kit. */
export const makeTopics = (config: KafkaSettings, options: Omit<MakeTopics, 'names'>): Promise<void> =>
  make(config, { ...options, names: TOPICS });

/** Returns the outbox entry of an event, which a document stores until the relay has published it. */
export function outboxEntry(event: Event): OutboxEntry {
  return { id: event.id, at: event.occurredAt ?? new Date(), ...recordOf(event) };
}

function recordOf(event: Event): OutgoingRecord {
  return {
    topic: topicOf(event.type as EventType),
    key: keyOf(event),
    value: Buffer.from(Event.encode(event).finish()),
  };
}
