import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import type { Connection } from 'mongoose';
import type { Kafka } from './kafka.ts';
import { createLease } from './lease.ts';
import { every, type Stoppable } from './lifecycle.ts';
import type { Logger } from './log.ts';

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

type Publisher = Pick<Kafka<never>, 'publishRecords'>;

const BATCH = 200;

/**
 * Publishes what the documents of a collection carry in `outbox`, then clears it. Woken by a change stream, with a poll
 * every `pollMs` as the truth. A lease lets one process at a time do it; another takes over within `leaseMs`.
 */
export function startRelay(options: {
  connection: Connection;
  collection: string;
  kafka: Publisher;
  log: Logger;
  pollMs?: number;
  leaseMs?: number;
}): Stoppable {
  const { connection, collection, kafka, log, pollMs = 1_000, leaseMs = 3_000 } = options;
  const lease = createLease(connection, `outbox:${collection}`, leaseMs);
  let heldUntil = 0;
  const turn = async () => {
    if (Date.now() > heldUntil - (leaseMs * 2) / 3) {
      const asked = Date.now();
      heldUntil = (await lease.hold()) ? asked + leaseMs : 0;
      if (heldUntil === 0) return;
    }
    while ((await relayBatch(connection, collection, kafka)) === BATCH) {
      if (Date.now() > heldUntil - leaseMs / 3) return;
    }
  };
  const loop = every(Math.min(pollMs, leaseMs / 3), () => context.with(suppressTracing(ROOT_CONTEXT), turn), {
    log,
    name: `outbox of ${collection}`,
  });
  const unwatch = watch(connection, collection, () => heldUntil > 0 && loop.wake());
  return {
    wake: loop.wake,
    async stop() {
      unwatch();
      await loop.stop();
      await lease.release();
    },
  };
}

interface Carrier {
  _id: string;
  outbox: OutboxEntry[];
}

async function relayBatch(connection: Connection, name: string, kafka: Publisher): Promise<number> {
  const collection = connection.db!.collection<Carrier>(name);
  const carriers = await collection
    .find({ 'outbox.at': { $exists: true } }, { projection: { outbox: 1 }, hint: { 'outbox.at': 1 } })
    .sort({ 'outbox.at': 1 })
    .limit(BATCH)
    .toArray();
  if (carriers.length === 0) return 0;
  const entries = carriers.flatMap(carrier => carrier.outbox);
  await kafka.publishRecords(entries.map(({ topic, key, value }) => ({ topic, key, value: bytesOf(value) })));
  await collection.bulkWrite(
    carriers.map(({ _id, outbox }) => ({
      updateOne: { filter: { _id }, update: { $pull: { outbox: { id: { $in: outbox.map(entry => entry.id) } } } } },
    })),
    { ordered: false },
  );
  return carriers.length;
}

const bytesOf = (value: Buffer | { buffer: Uint8Array }): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(value.buffer);

// Only a wake-up: what it misses, the poll finds. Clearing an outbox is no reason to wake.
function watch(connection: Connection, name: string, wake: () => void): () => void {
  const stream = connection.db!.collection(name).watch(
    [
      {
        $match: {
          operationType: { $in: ['insert', 'update'] },
          'updateDescription.updatedFields.outbox': { $ne: [] },
        },
      },
      { $project: { _id: 1 } },
    ],
    {
      maxAwaitTimeMS: 5_000,
    },
  );
  stream.on('change', wake);
  stream.on('error', () => {});
  return () => void stream.close().catch(() => {});
}
