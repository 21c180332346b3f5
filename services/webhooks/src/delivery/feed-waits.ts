import { DomainError } from '@recording-request/kit/errors';
import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { FeedStore } from '../store/feed.ts';

/** The calls that wait for an event of their owner. */
export interface FeedWaits extends Stoppable {
  /**
   * Takes a place for a call; disposing it returns the place. Fails with `too_many` if the owner has no free place, and
   * with `unavailable` if this process has none.
   */
  enter(ownerId: string): Disposable;
  /**
   * Resolves to false when the owner's feed may have an event after `after`; to true after `ms`, or when this process
   * stops. Rejects with the signal's reason.
   */
  forEvent(ownerId: string, after: number, ms: number, signal: AbortSignal): Promise<boolean>;
}

interface Waiter {
  after: number;
  wake(isLast: boolean): void;
}

export const WAITS_OF_OWNER = 10;
const WAITS_IN_ALL = 1_000;
const LOOK_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;

/** Starts one query a second that reads the ends of the feeds of all owners with waiting calls. */
export function startFeedWaits(feed: Pick<FeedStore, 'lastOfEach'>, log: Logger): FeedWaits {
  const places = new Map<string, number>();
  const waiting = new Map<string, Set<Waiter>>();
  let taken = 0;
  let isStopped = false;

  const look = async () => {
    if (waiting.size === 0) return;
    const lasts = await feed.lastOfEach([...waiting.keys()]);
    for (const [ownerId, waiters] of waiting) {
      const last = lasts.get(ownerId) ?? 0;
      for (const waiter of [...waiters]) if (last > waiter.after) waiter.wake(false);
    }
  };
  const loop = every(LOOK_MS, look, { log, name: 'feeds that calls wait for' });

  return {
    wake: loop.wake,
    enter(ownerId) {
      const own = places.get(ownerId) ?? 0;
      if (own >= WAITS_OF_OWNER) {
        const sentence = `At most ${WAITS_OF_OWNER} requests may wait for events at the same time; end one, or leave out wait.`;
        throw new DomainError('too_many', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
      }
      if (taken >= WAITS_IN_ALL) {
        const sentence = 'Too many requests wait for events; try again in a moment, or leave out wait.';
        throw new DomainError('unavailable', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
      }
      places.set(ownerId, own + 1);
      taken += 1;
      let isHeld = true;
      return {
        [Symbol.dispose]() {
          if (!isHeld) return;
          isHeld = false;
          taken -= 1;
          const left = (places.get(ownerId) ?? 1) - 1;
          if (left > 0) places.set(ownerId, left);
          else places.delete(ownerId);
        },
      };
    },
    async forEvent(ownerId, after, ms, signal) {
      signal.throwIfAborted();
      if (isStopped || ms <= 0) return true;
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      const waiter: Waiter = { after, wake: resolve };
      const giveUp = () => reject(signal.reason);
      const timer = setTimeout(() => resolve(true), ms);
      signal.addEventListener('abort', giveUp, { once: true });
      const own = waiting.get(ownerId) ?? new Set();
      waiting.set(ownerId, own.add(waiter));
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        own.delete(waiter);
        if (own.size === 0) waiting.delete(ownerId);
      }
    },
    async stop() {
      isStopped = true;
      for (const waiter of [...waiting.values()].flatMap(own => [...own])) waiter.wake(true);
      await loop.stop();
    },
  };
}
