import { setTimeout as delay } from 'node:timers/promises';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Logger } from '@recording-request/kit/log';
import { ERRORS, type Lock, type Locker, type RequestRelease } from '@tus/server';
import type { UploadStore } from '../store/uploads.ts';

const WAIT_MS = 8_000;
const LOOK_MS = 50;

/** The client retries after 423, and 409 would make it look for another offset. */
export const LOCKED = { status_code: 423, body: 'Another request is writing to this upload; try again in a moment.' };

/** The writers of this process. */
export interface WriterLocker extends Locker {
  /** Who holds the lease of an upload here; "" where nobody does. */
  writerOf(id: string): string;
  /** Takes the lease of an upload that was locked before it existed: the request that creates it may bring bytes too. */
  created(id: string): Promise<void>;
}

/**
 * One writer an upload, across all replicas: a lease in MongoDB. A request that finds it taken asks the holder to let
 * go (a connection that broke unnoticed holds on otherwise) and waits a few seconds.
 */
export function createLocker(uploads: UploadStore, leaseMs: number, log: Logger): WriterLocker {
  const writers = new Map<string, { id: string; keep(): void }>();
  return {
    writerOf: id => writers.get(id)?.id ?? '',
    async created(id) {
      const writer = writers.get(id);
      if (!writer || (await uploads.takeWriter(id, writer.id, leaseMs)) !== 'taken') throw LOCKED;
      writer.keep();
    },
    newLock(id: string): Lock {
      const writerId = uuidv7();
      let renewal: NodeJS.Timeout | undefined;
      return {
        async lock(signal: AbortSignal, requestRelease: RequestRelease) {
          const keep = () => {
            renewal = setInterval(
              () => {
                uploads
                  .renewWriter(id, writerId, leaseMs)
                  .then(state => (state === 'held' ? undefined : requestRelease()))
                  .catch(error => log.warn({ err: error, uploadId: id }, 'A writer could not renew its lease'));
              },
              Math.min(500, leaseMs / 4),
            );
          };
          const exists = await take(uploads, id, writerId, leaseMs, signal);
          writers.set(id, { id: writerId, keep });
          if (exists) keep();
        },
        async unlock() {
          clearInterval(renewal);
          if (writers.get(id)?.id === writerId) writers.delete(id);
          // A lease that cannot be given back runs out.
          await uploads.releaseWriter(id, writerId).catch(() => {});
        },
      };
    },
  };
}

/** Whether the upload exists; resolves once the lease is taken. */
async function take(
  uploads: UploadStore,
  id: string,
  writerId: string,
  leaseMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const state = await uploads.takeWriter(id, writerId, leaseMs);
    if (state !== 'busy') return state === 'taken';
    if (signal.aborted) throw ERRORS.ABORTED;
    if (Date.now() > until) throw LOCKED;
    await delay(LOOK_MS);
  }
}
