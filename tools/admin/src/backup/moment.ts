import { setTimeout as delay } from 'node:timers/promises';
import { uuidv7 } from '@recording-request/kit/ids';
import { type ProgressReader, readProgress } from '@recording-request/kit-kafka/progress';
import type { mongo } from 'mongoose';
import { NotDone } from '../run-erase.ts';
import { AT_THE_MOMENT, type Databases, type Settings } from './settings.ts';

/**
 * The consumers whose pending work is not in a database. All other consumers need no check, because the jobs of
 * submissions request their work again.
 */
const CONSUMERS = [
  ['submissions.events', 'webhooks'],
  ['webhooks.events', 'webhooks-events'],
  ['projects.events', 'webhooks-projects'],
  ['owners.events', 'webhooks-feed'],
  ['parked', 'submissions-dead-letters'],
] as const;

const PATIENCE_MS = 60_000;
const LOOK_MS = 250;
/** The databases with outboxes, which contain the unpublished events. */
const PUBLISHERS = ['projects', 'submissions'] as const;
const RELAY_HELD_MS = 15_000;

/** The moment of the backup's data, the same in all databases. */
export interface Moment extends AsyncDisposable {
  session: mongo.ClientSession;
  clusterTime: mongo.BSON.Timestamp;
  /** The number of events that only Kafka has, because a consumer did not take them within a minute. */
  eventsLeft: number;
}

/**
 * Chooses a moment at which every event is in a database: in the outbox of its record, or in the stored result of its
 * consumer. To reach this moment, publishing stops for a few seconds. During these seconds, events wait in their
 * outbox, as during a Kafka outage.
 */
export async function chooseMoment(databases: Databases, settings: Settings): Promise<Moment> {
  await using stack = new AsyncDisposableStack();
  const progress = stack.use(await readProgress(settings));
  for (const [topic] of CONSUMERS)
    if (!progress.has(topic))
      throw new NotDone(
        `Kafka has no topic ${settings.kafkaTopicPrefix}${topic}, so events could be missing: set KAFKA_BROKERS and KAFKA_TOPIC_PREFIX as for the services. (A migration creates the topics.)`,
      );
  for (const name of PUBLISHERS) stack.use(await holdRelay(databases.of(name), `outbox:${name}`));
  const giveUp = performance.now() + PATIENCE_MS;
  for (;;) {
    const before = await standing(progress);
    if (before.waiting > 0n && performance.now() < giveUp) {
      await delay(LOOK_MS);
      continue;
    }
    const session = databases.client.startSession({ snapshot: true });
    const clusterTime = await begin(databases, session);
    const after = await standing(progress);
    // Tries again if an event was published while the session started: at the moment, this event may have been only in
    // Kafka.
    if (after.published === before.published || performance.now() > giveUp)
      return {
        ...{ session, clusterTime, eventsLeft: Number(before.waiting + after.published - before.published) },
        [Symbol.asyncDispose]: () => session.endSession(),
      };
    await session.endSession();
  }
}

/**
 * Makes the first read of the session, which fixes the moment. The moment includes everything that a majority of
 * MongoDB's members has by now.
 */
async function begin({ of }: Databases, session: mongo.ClientSession): Promise<mongo.BSON.Timestamp> {
  await of('submissions').collection('schema', AT_THE_MOMENT).findOne({}, { session });
  return (session as unknown as { snapshotTime: mongo.BSON.Timestamp }).snapshotTime;
}

async function standing(progress: ProgressReader): Promise<{ published: bigint; waiting: bigint }> {
  const sum = { published: 0n, waiting: 0n };
  for (const [topic, group] of CONSUMERS) {
    const { published, waiting } = await progress.of(topic, group);
    sum.published += published;
    sum.waiting += waiting;
  }
  return sum;
}

/**
 * Takes the lease of a publishing process. That process stops within three seconds, and takes the lease again
 * afterwards.
 */
async function holdRelay(database: mongo.Db, lease: string): Promise<AsyncDisposable> {
  const leases = database.collection<{ _id: string; holder: string }>('leases');
  const holder = uuidv7();
  const hold = async () => {
    const ours = [{ $set: { holder, until: { $add: ['$$NOW', RELAY_HELD_MS] } } }];
    await leases.updateOne({ _id: lease }, ours, { upsert: true });
  };
  await hold();
  const renewal = setInterval(() => void hold().catch(() => {}), RELAY_HELD_MS / 3);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(renewal);
      await leases.deleteOne({ _id: lease, holder }).catch(() => {});
    },
  };
}
