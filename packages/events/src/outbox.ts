import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { bounded } from '@recording-request/kit/bounds';
import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Kafka } from '@recording-request/kit-kafka/kafka';
import { KafkaAwayError, RecordTooLargeError } from '@recording-request/kit-kafka/producer';
import { createLease } from '@recording-request/kit-mongo/lease';
import type { Connection } from 'mongoose';
import { watchCollection } from './outbox-watch.ts';

/** A message that a document stores until it is published. The update that changes the state also writes the message. */
export interface OutboxEntry {
  id: string;
  topic: string;
  key: string;
  at: Date;
  /** The encoded message. */
  value: Buffer;
}

export const outboxField = {
  type: [{ _id: false, id: String, topic: String, key: String, at: Date, value: Buffer }],
  default: undefined,
};

/** The index that finds unpublished entries. */
export const outboxIndex = [{ 'outbox.at': 1 }, { sparse: true }] as const;

type Publisher = Pick<Kafka<never>, 'publishRecords' | 'partitionOf' | 'setAside'>;

// The number of documents per read. Their total size stays below MongoDB's limit of 16 MB for an answer.
const READ_BATCH = 100;
// The number of entries that are published and cleared together.
const BATCH_ENTRIES = 200;
const BATCH_BYTES = 1024 * 1024;
const STOP_MS = 5_000;

/**
 * Publishes the outbox entries of some collections, then clears them. Change streams wake the relay, and a poll every
 * `pollMs` finds the remaining entries. A lease allows one process at a time; another process takes over within
 * `leaseMs`. After a failed send, the process gives up the lease for `restMs`, so that another process tries.
 */
export function startRelay(options: {
  connection: Connection;
  /** The name of the lease is `outbox:` and this name. */
  name: string;
  /** The collections in the order in which they are read, each with the field that is its shard key. */
  collections: Readonly<Record<string, string>>;
  kafka: Publisher;
  log: Logger;
  pollMs?: number;
  leaseMs?: number;
  restMs?: number;
}): Stoppable {
  const { connection, name, collections, kafka, log, pollMs = 5_000, leaseMs = 3_000, restMs = 5_000 } = options;
  const lease = createLease(connection, `outbox:${name}`, leaseMs);
  let heldUntil = 0;
  let restUntil = 0;
  // The time of the holder's next poll, unless a change wakes it earlier.
  let lookAt = 0;
  let stopping = false;
  const hold = async () => {
    const startedAt = Date.now();
    heldUntil = (await lease.hold()) ? startedAt + leaseMs : 0;
  };
  const isHeld = () => !stopping && Date.now() < heldUntil - leaseMs / 3;
  const turn = async () => {
    if (stopping || Date.now() < restUntil) return;
    if (Date.now() >= heldUntil) lookAt = 0;
    if (!isHeld()) await hold();
    if (!isHeld() || performance.now() < lookAt) return;
    lookAt = performance.now() + pollMs;
    // Renews the lease during the pass, because a send to an unresponsive broker takes longer than the lease.
    let renewing = Promise.resolve();
    const renewal = setInterval(() => {
      renewing = hold().catch(err => log.debug({ err }, 'The lease of an outbox could not be renewed'));
    }, leaseMs / 3);
    let failure: Error | undefined;
    try {
      failure = await relayAll({ connection, collections, kafka, goOn: isHeld });
    } catch (error) {
      failure = error as Error;
    } finally {
      clearInterval(renewal);
      await renewing;
    }
    if (failure || !isHeld()) lookAt = 0;
    if (!failure) return;
    log.warn({ err: failure, outbox: name, restMs }, 'Events could not be published; another process may retry');
    heldUntil = 0;
    restUntil = Date.now() + restMs;
    await lease.release();
  };
  const loop = every(Math.min(pollMs, leaseMs / 3), () => context.with(suppressTracing(ROOT_CONTEXT), turn), {
    log,
    name: `outbox of ${name}`,
  });
  const wake = () => {
    lookAt = 0;
    loop.wake();
  };
  const watches = Object.keys(collections).map(collection =>
    watchCollection({ connection, collection, log, wake: () => heldUntil > 0 && wake() }),
  );
  return {
    wake,
    async stop() {
      stopping = true;
      await Promise.all(watches.map(watch => watch.stop()));
      // Waits only a limited time: another process publishes the entries that an unresponsive broker blocks here.
      await bounded(loop.stop(), STOP_MS, 'ending the publication').catch(err =>
        log.warn({ err, outbox: name }, 'Publishing did not end before the stop; another process repeats it'),
      );
      await lease.release();
    },
  };
}

interface Carrier {
  _id: string;
  outbox: OutboxEntry[];
}

interface Relaying {
  connection: Connection;
  collections: Readonly<Record<string, string>>;
  kafka: Publisher;
  /** Returns false when the pass must end, because another process may have the lease. */
  goOn(): boolean;
}

/** An entry with its document: the id, and the filter that finds it. */
type Carried = OutboxEntry & { carrier: string; filter: { _id: string } };

/**
 * Publishes and clears the entries of all documents, oldest first in each collection. If a partition fails, its entries
 * wait in order for the next pass. Returns the last failure, if any.
 */
async function relayAll(relaying: Relaying): Promise<Error | undefined> {
  const failed = new Set<string>();
  let failure: Error | undefined;
  for (const [name, shardKey] of Object.entries(relaying.collections)) {
    failure = (await relayOne(relaying, { name, shardKey, failed })) ?? failure;
    if (!relaying.goOn() || failure instanceof KafkaAwayError) break;
  }
  return failure;
}

/** Does the same for one collection. `failed` contains the partitions that get no more records in this pass. */
async function relayOne(
  { connection, kafka, goOn }: Relaying,
  { name, shardKey, failed }: { name: string; shardKey: string; failed: Set<string> },
): Promise<Error | undefined> {
  const collection = carriersOf(connection, name);
  let failure: Error | undefined;
  const cursor = collection
    .find({ 'outbox.at': { $exists: true } }, { projection: { outbox: 1, [shardKey]: 1 }, hint: { 'outbox.at': 1 } })
    .sort({ 'outbox.at': 1 })
    .batchSize(READ_BATCH);
  for await (const batch of batchesOf(cursor, shardKey, entry => !failed.has(kafka.partitionOf(entry)))) {
    const outcomes = await kafka.publishRecords(batch.map(({ topic, key, value }) => ({ topic, key, value })));
    const done: Carried[] = [];
    for (const [index, entry] of batch.entries()) {
      let error: Error | undefined = outcomes[index];
      if (error instanceof RecordTooLargeError) error = await setAside({ kafka, name }, entry, error);
      if (error === undefined) done.push(entry);
      else {
        failed.add(kafka.partitionOf(entry));
        failure = error;
      }
    }
    await clear(collection, done);
    if (!goOn() || failure instanceof KafkaAwayError) break;
  }
  return failure;
}

/** Sets the entry aside. Returns undefined when the entry can then be cleared, otherwise the error. */
async function setAside(
  { name, kafka }: { name: string; kafka: Publisher },
  entry: Carried,
  reason: RecordTooLargeError,
): Promise<Error | undefined> {
  try {
    await kafka.setAside(entry, `outbox of ${name}`, reason.message);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Yields the entries of the documents in batches with a limit on their bytes. */
async function* batchesOf(
  carriers: AsyncIterable<Carrier>,
  shardKey: string,
  isWanted: (entry: OutboxEntry) => boolean,
): AsyncGenerator<Carried[]> {
  let batch: Carried[] = [];
  let bytes = 0;
  for await (const carrier of carriers) {
    const filter = { _id: carrier._id, [shardKey]: carrier[shardKey as '_id'] };
    for (const stored of carrier.outbox) {
      const entry = { ...stored, carrier: carrier._id, filter, value: bytesOf(stored.value) };
      if (batch.length === BATCH_ENTRIES || (batch.length > 0 && bytes + entry.value.length > BATCH_BYTES)) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      // Checks this only now, because the previous batch may have shown that this partition fails.
      if (!isWanted(entry)) continue;
      batch.push(entry);
      bytes += entry.value.length;
    }
  }
  if (batch.length > 0) yield batch;
}

async function clear(collection: ReturnType<typeof carriersOf>, entries: Carried[]): Promise<void> {
  const byCarrier = Map.groupBy(entries, entry => entry.carrier);
  if (byCarrier.size === 0) return;
  await collection.bulkWrite(
    [...byCarrier.values()].map(some => ({
      updateOne: {
        filter: some[0]!.filter,
        update: { $pull: { outbox: { id: { $in: some.map(entry => entry.id) } } } },
      },
    })),
    { ordered: false },
  );
}

const carriersOf = (connection: Connection, name: string) => connection.db!.collection<Carrier>(name);

const bytesOf = (value: Buffer | { buffer: Uint8Array }): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(value.buffer);
