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

/** A message that a document carries until it is published: written by the update that changes the state it reports. */
export interface OutboxEntry {
  id: string;
  topic: string;
  key: string;
  at: Date;
  /** The encoded message. */
  value: Buffer;
}

/** The field `outbox` of a mongoose schema. */
export const outboxField = {
  type: [{ _id: false, id: String, topic: String, key: String, at: Date, value: Buffer }],
  default: undefined,
};

/** The index by which the relay finds what is unpublished. */
export const outboxIndex = [{ 'outbox.at': 1 }, { sparse: true }] as const;

type Publisher = Pick<Kafka<never>, 'publishRecords' | 'partitionOf' | 'setAside'>;

// Of documents in one answer of MongoDB, which is 16 MB at most, whatever they carry.
const READ_BATCH = 100;
// Of entries that are published and cleared together.
const BATCH_ENTRIES = 200;
const BATCH_BYTES = 1024 * 1024;
const STOP_MS = 5_000;

/**
 * Publishes what the documents of a collection carry in `outbox`, then clears it. Woken by a change stream, with a poll
 * every `pollMs` as the truth. A lease lets one process at a time do it; another takes over within `leaseMs`. Where Kafka
 * did not take everything, the lease is given up for `restMs`, so that another process tries.
 */
export function startRelay(options: {
  connection: Connection;
  collection: string;
  kafka: Publisher;
  log: Logger;
  /** The field that is the collection's shard key, which each document has. */
  shardKey?: string;
  pollMs?: number;
  leaseMs?: number;
  restMs?: number;
}): Stoppable {
  const {
    connection,
    collection,
    kafka,
    log,
    shardKey = '_id',
    pollMs = 1_000,
    leaseMs = 3_000,
    restMs = 5_000,
  } = options;
  const lease = createLease(connection, `outbox:${collection}`, leaseMs);
  let heldUntil = 0;
  let restUntil = 0;
  let stopping = false;
  const hold = async () => {
    const asked = Date.now();
    heldUntil = (await lease.hold()) ? asked + leaseMs : 0;
  };
  const isHeld = () => !stopping && Date.now() < heldUntil - leaseMs / 3;
  const turn = async () => {
    if (stopping || Date.now() < restUntil) return;
    if (!isHeld()) await hold();
    if (!isHeld()) return;
    // A send to a broker that does not answer takes longer than the lease.
    let renewing = Promise.resolve();
    const renewal = setInterval(() => {
      renewing = hold().catch(err => log.debug({ err }, 'The lease of an outbox was not renewed'));
    }, leaseMs / 3);
    let failure: Error | undefined;
    try {
      failure = await relayAll({ connection, name: collection, shardKey, kafka, log, goOn: isHeld });
    } catch (error) {
      failure = error as Error;
    } finally {
      clearInterval(renewal);
      await renewing;
    }
    if (!failure) return;
    log.warn({ err: failure, collection, restMs }, 'Events could not be published; another process may try');
    heldUntil = 0;
    restUntil = Date.now() + restMs;
    await lease.release();
  };
  const loop = every(Math.min(pollMs, leaseMs / 3), () => context.with(suppressTracing(ROOT_CONTEXT), turn), {
    log,
    name: `outbox of ${collection}`,
  });
  const watch = watchCollection({ connection, collection, log, wake: () => heldUntil > 0 && loop.wake() });
  return {
    wake: loop.wake,
    async stop() {
      stopping = true;
      await watch.stop();
      // What a broker that does not answer keeps from ending is published again by another process.
      await bounded(loop.stop(), STOP_MS, 'ending what is being published').catch(err =>
        log.warn({ err, collection }, 'An outbox is left while its events are being published'),
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
  name: string;
  shardKey: string;
  kafka: Publisher;
  log: Logger;
  /** False when the pass is to end: another process may be at it. */
  goOn(): boolean;
}

/** An entry, and the document that carries it: its id, and by what it is found. */
type Carried = OutboxEntry & { carrier: string; filter: { _id: string } };

/**
 * Publishes and clears the entries of all documents, the oldest first. Those of partitions that fail stay for another pass,
 * with everything behind them in these partitions. Returns the last failure, if any.
 */
async function relayAll(relaying: Relaying): Promise<Error | undefined> {
  const { connection, name, shardKey, kafka, goOn } = relaying;
  const collection = carriersOf(connection, name);
  const failed = new Set<string>();
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
      if (error instanceof RecordTooLargeError) error = await setAside(relaying, entry, error);
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

/** Returns why that failed, too; undefined when the entry can be cleared. */
async function setAside(
  { name, kafka }: Relaying,
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

/** Returns the entries of the documents in batches that are bounded by their bytes, too. */
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
      // Only now: the batch before may just have shown that its partition fails.
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
