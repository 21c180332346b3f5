import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from './redis.ts';

const CALLERS = 50_000;

/** The calls of one caller in the window that runs. */
export interface Count {
  max: number;
  remaining: number;
  /** Until the window ends and counting starts again. */
  resetSeconds: number;
  isExceeded: boolean;
}

/**
 * Counts the calls of each caller, in Redis if there is one; in memory otherwise, and while Redis does not answer: a limit
 * that is counted apart is better than none, and than no service.
 */
export function createCounter(
  kind: string,
  limit: { max: number; windowSeconds: number; callers?: number },
  redis?: Redis,
): (caller: string) => Promise<Count> {
  const { max, windowSeconds, callers = CALLERS } = limit;
  const options = { points: max, duration: windowSeconds, keyPrefix: `recording-request:rate:${kind}` };
  const memory = new RateLimiterMemory(options);
  // The library keeps every caller in memory. Above a bound the least recently seen start again from zero.
  const seen = new LRUCache<string, true>({ max: callers, dispose: (_, caller) => void memory.delete(caller) });
  const counter = redis ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory }) : memory;
  return async caller => {
    seen.set(caller, true);
    const { remainingPoints, msBeforeNext, consumedPoints } = await counter
      .consume(caller)
      .catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal;
        throw refusal;
      });
    return {
      max,
      remaining: remainingPoints,
      resetSeconds: Math.ceil(msBeforeNext / 1000),
      isExceeded: consumedPoints > max,
    };
  };
}
