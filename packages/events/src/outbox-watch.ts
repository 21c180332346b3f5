import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs, bounded } from '@recording-request/kit/bounds';
import type { Logger } from '@recording-request/kit/log';
import type { Connection } from 'mongoose';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 30_000;
const CLOSE_MS = 5_000;
// Selects only added entries, because most changes affect other fields. In a change event, an added entry appears as
// `outbox` or as one of its elements.
const ADDED = {
  $anyElementTrue: {
    $map: {
      input: { $objectToArray: { $ifNull: ['$updateDescription.updatedFields', {}] } },
      in: { $eq: [{ $indexOfBytes: ['$$this.k', 'outbox'] }, 0] },
    },
  },
};
// Clearing an outbox must not wake the relay.
const UPDATE = { operationType: 'update', 'updateDescription.updatedFields.outbox': { $ne: [] }, $expr: ADDED };

const NEW = { operationType: { $in: ['insert', 'replace'] }, 'fullDocument.outbox': { $exists: true, $ne: [] } };

/** The pipeline of a change stream for changes that may have added an outbox entry. */
export const WAKING = [{ $match: { $or: [NEW, UPDATE] } }];

/**
 * Calls `wake` when a document of the collection may have an outbox entry. A poll finds entries that arrive while the change
 * stream is down. Reopens a stream that ends, for example when its collection is dropped.
 */
export function watchCollection(options: {
  connection: Connection;
  collection: string;
  log: Logger;
  wake: () => void;
}): {
  stop(): Promise<void>;
} {
  const { connection, collection, log, wake } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const watchOnce = async (onChange: () => void) => {
    const stream = connection
      .db!.collection(collection)
      .watch([...WAKING, { $project: { _id: 1 } }], { maxAwaitTimeMS: 5_000 });
    const close = () => void stream.close().catch(() => {});
    signal.addEventListener('abort', close, { once: true });
    try {
      if (!signal.aborted) for await (const _ of stream) onChange();
    } finally {
      signal.removeEventListener('abort', close);
      close();
    }
  };
  const watch = async () => {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      await watchOnce(() => {
        attempt = 0;
        wake();
      }).catch(err => {
        if (!signal.aborted)
          log.debug({ err, collection }, 'A change stream failed; polls find new entries until it is open again');
      });
      if (signal.aborted) return;
      log.debug({ collection, attempt }, 'A change stream ended; it will be reopened');
      await delay(backoffMs(attempt, FIRST_WAIT_MS, LONGEST_WAIT_MS), undefined, { signal }).catch(() => {});
    }
  };
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await bounded(watching, CLOSE_MS, 'closing a change stream').catch(err =>
        log.debug({ err }, 'A change stream did not close in time'),
      );
    },
  };
}
