import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from './redis.ts';

const CALLERS = 50_000;

/** The calls of one caller in the current time window. */
export interface Count {
  max: number;
  remaining: number;
  /** Seconds until the window ends and the count restarts. */
  resetSeconds: number;
  isExceeded: boolean;
}

/**
 * Counts the calls of each caller: in Redis if it is configured, otherwise in memory. Also counts in memory while Redis
 * does not respond, because a separate count in each process is better than no limit or no service.
 */
export function createCounter(
  kind: string,
  limit: { max: number; windowSeconds: number; callers?: number },
  redis?: Redis,
): (caller: string) => Promise<Count> {
  const { max, windowSeconds, callers = CALLERS } = limit;
  const options = { points: max, duration: windowSeconds, keyPrefix: `recording-request:rate:${kind}` };
  const memory = new RateLimiterMemory(options);
  // Limits the number of callers, because the library never deletes a caller. Above the limit, the counts of the
  // callers seen longest ago restart at zero.
  const recentCallers = new LRUCache<string, true>({
    max: callers,
    dispose: (_, caller) => void memory.delete(caller),
  });
  const counter = redis ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory }) : memory;
  return async caller => {
    recentCallers.set(caller, true);
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
