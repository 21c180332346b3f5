import { setTimeout as delay } from 'node:timers/promises';

/**
 * Returns a function that waits for the next of the times at which something is to be sent, `everyMs` apart from the first one on,
 * and resolves to that time. One that has passed already is not waited for: what is sent then is late, and counts as late.
 */
export function schedule(everyMs: number, startsAt = performance.now()): (signal?: AbortSignal) => Promise<number> {
  let next = startsAt;
  return async signal => {
    const intendedAt = next;
    next += everyMs;
    const early = intendedAt - performance.now();
    if (early > 0) await delay(early, undefined, { signal });
    return intendedAt;
  };
}

/** One request of an open loop. */
export interface Arrival<T> {
  /** Milliseconds from the intended time to the answer, so that a wait before sending counts as the answer's. */
  latencyMs: number;
  value: T;
}

/**
 * Sends `count` requests, one every `everyMs`, whether or not those before are answered. Resolves with all of them in the order
 * in which they were to be sent; rejects with the first error, once all have ended.
 */
export async function openLoop<T>(
  work: (at: number) => Promise<T>,
  { count, everyMs, signal }: { count: number; everyMs: number; signal?: AbortSignal },
): Promise<Arrival<T>[]> {
  const nextTime = schedule(everyMs);
  const sent: Promise<Arrival<T>>[] = [];
  for (let at = 0; at < count; at++) {
    const intendedAt = await nextTime(signal);
    sent.push(work(at).then(value => ({ latencyMs: performance.now() - intendedAt, value })));
    // It is awaited below, with the others.
    sent.at(-1)!.catch(() => {});
  }
  const ended = await Promise.allSettled(sent);
  return ended.map(each => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}
