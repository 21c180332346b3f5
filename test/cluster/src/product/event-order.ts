import { DEAD_LETTER_TOPIC, TOPICS } from '@recording-request/events/topics';
import type { SeenEvent } from '@recording-request/fault-test/check/order';
import type { Connection } from '@recording-request/kit-mongo/mongo';
import { Event } from '@recording-request/proto/events/v1/events';
import { until } from '@recording-request/testing/wait';
import { Kafka, logLevel } from 'kafkajs';

/** An event in a topic. */
export interface PublishedEvent extends SeenEvent {
  topic: string;
  partition: number;
  publishedAt: number;
}

const READ = { limitMs: 60_000, everyMs: 100 };
const GROUP = 'cluster-test-order';
const WITH_EVENTS = TOPICS.filter(topic => topic !== DEAD_LETTER_TOPIC);

/** Reads all events of every topic from the beginning, in the order of their publication. */
export async function publishedEvents(brokers: string[]): Promise<PublishedEvent[]> {
  const client = new Kafka({ clientId: GROUP, brokers, logLevel: logLevel.NOTHING });
  await using closing = new AsyncDisposableStack();
  const admin = client.admin();
  await admin.connect();
  closing.defer(() => admin.disconnect());
  /** The offset at which the read ends, by topic and partition. */
  const left = new Map<string, bigint>();
  for (const topic of WITH_EVENTS)
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
      if (BigInt(high) > BigInt(low)) left.set(`${topic} ${partition}`, BigInt(high));
  const events: PublishedEvent[] = [];
  // If the deletion fails, the remaining consumer group does no harm.
  closing.defer(() =>
    admin.deleteGroups([GROUP]).then(
      () => {},
      () => {},
    ),
  );
  const consumer = client.consumer({ groupId: GROUP });
  await consumer.connect();
  closing.defer(() => consumer.disconnect());
  await consumer.subscribe({ topics: [...WITH_EVENTS], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    async eachMessage({ topic, partition, message: { key, value, timestamp, offset } }) {
      const { id, type, occurredAt } = Event.decode(value!);
      const about = { submissionId: key?.toString(), at: occurredAt!, publishedAt: Number(timestamp) };
      events.push({ id, type, topic, partition, ...about });
      const where = `${topic} ${partition}`;
      if (BigInt(offset) + 1n >= (left.get(where) ?? 0n)) left.delete(where);
    },
  });
  await until('the topics are read to their end', () => left.size === 0, READ);
  // Keeps the order within a partition.
  return events.sort((one, other) => one.publishedAt - other.publishedAt);
}

type Recorded = { _id: string; submissionId: string; eventType: string; createdAt: Date };

/**
 * Starts to watch the events that webhooks records. Returns a function that resolves to the recorded events of some
 * submissions, in the order of their recording.
 */
export async function recordedSince(webhooks: Connection): Promise<(submissions: string[]) => Promise<SeenEvent[]>> {
  const deliveries = webhooks.db!.collection<Recorded>('deliveries');
  const { operationTime: startAtOperationTime } = await webhooks.db!.command({ ping: 1 });
  return async submissions => {
    const mine = { submissionId: { $in: submissions } };
    const count = await deliveries.countDocuments(mine);
    // The database's oplog has the exact order of writes.
    const inserts = deliveries.watch<Recorded, { fullDocument: Recorded }>(
      [
        { $match: { operationType: 'insert', 'fullDocument.submissionId': { $in: submissions } } },
        { $project: { 'fullDocument.body': 0 } },
      ],
      { startAtOperationTime },
    );
    const found: SeenEvent[] = [];
    const next = async () => {
      const change = found.length < count ? await inserts.tryNext() : undefined;
      if (change) {
        const { _id: id, eventType: type, submissionId, createdAt: at } = change.fullDocument;
        found.push({ id, type, submissionId, at });
      }
      return found.length === count;
    };
    try {
      await until('the records of webhooks are read', next, { ...READ, everyMs: 0 });
    } finally {
      await inserts.close();
    }
    return found;
  };
}
