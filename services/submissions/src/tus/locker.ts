import { setTimeout as delay } from 'node:timers/promises';
import { type HeldLease, takeLease } from '@recording-request/kit-mongo/lease';
import { ERRORS, type Lock, type Locker } from '@tus/server';
import type { Context } from '../context.ts';
import type { Upload, UploadKey } from '../domain/uploads/upload.ts';
import { LOCKED } from './errors.ts';
import { keyOf, writer } from './writer.ts';

const WAIT_MS = 8_000;
const LOOK_MS = 50;
const LOOK_AFTER_MS = 1_000;

/**
 * Allows one writer per upload across all replicas, by a lease in MongoDB. If another request has the lease, asks it to
 * release the lease and waits a few seconds, because that request may not have noticed that its connection is broken.
 */
export function createLocker({ config, log, uploads }: Pick<Context, 'config' | 'log' | 'uploads'>): Locker {
  const leaseMs = config.uploadLeaseSeconds * 1_000;

  /** Returns undefined when the upload does not exist; the handler reports this. */
  async function takeWhenFree(key: UploadKey, writerId: string, signal: AbortSignal): Promise<Upload | undefined> {
    const until = performance.now() + WAIT_MS;
    for (;;) {
      const state = await uploads.takeWriter(key, writerId, leaseMs);
      if (state !== 'busy') return state;
      if (signal.aborted) throw ERRORS.ABORTED;
      if (performance.now() > until) throw LOCKED;
      await delay(LOOK_MS);
    }
  }

  return {
    newLock(id): Lock {
      const key = keyOf(id);
      const request = writer();
      const writerId = request.id;
      let held: HeldLease<Upload> | undefined;
      let isAsking = false;
      let renewedAt = 0;
      return {
        async lock(signal, requestRelease) {
          // No other request knows the upload yet, and this request sends no bytes, so it needs no lease.
          if (request.onlyCreates) return;
          held = await takeLease({
            take: () => takeWhenFree(key, writerId, signal),
            async renew() {
              // Each writer runs one query at a time and seldom writes, so that many slow writers do not overload the
              // database.
              if (isAsking || request.isReleased) return;
              isAsking = true;
              const now = performance.now();
              try {
                const isDue = now - renewedAt >= leaseMs / 3;
                const state = isDue
                  ? await uploads.renewWriter(key, writerId, leaseMs)
                  : await uploads.lookWriter(key, writerId);
                if (isDue) renewedAt = now;
                if (state !== 'held' && !request.isReleased) requestRelease();
              } catch (error) {
                log.warn({ err: error, uploadId: id }, 'A writer could not renew its lease; it retries');
              } finally {
                isAsking = false;
              }
            },
            release: async () => (request.isReleased ? undefined : await uploads.releaseWriter(key, writerId)),
            renewMs: Math.min(LOOK_AFTER_MS, leaseMs / 4),
          });
          request.upload = held?.subject;
        },
        async unlock() {
          await held?.[Symbol.asyncDispose]();
        },
      };
    },
  };
}
