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
 * Returns `perMinute` arrivals a minute that come independently of each other (Poisson), for `forMs` milliseconds: their times from the
 * start, ascending.
 */
export function arrivals(perMinute: number, forMs: number, random: () => number): number[] {
  const times: number[] = [];
  const gap = () => (-60_000 * Math.log(1 - random())) / perMinute;
  for (let at = gap(); at < forMs; at += gap()) times.push(at);
  return times;
}

/**
 * Begins `work` at each of `times` (milliseconds from now, ascending), whether or not what began before has ended; `intendedAt` is that
 * time by performance.now(). Resolves with all of them in their order; rejects with the first error, once all have ended.
 */
export async function openLoop<T>(
  work: (at: number, intendedAt: number) => Promise<T>,
  { times, signal }: { times: readonly number[]; signal?: AbortSignal },
): Promise<Arrival<T>[]> {
  const startedAt = performance.now();
  const begun: Promise<Arrival<T>>[] = [];
  for (const [at, time] of times.entries()) {
    const intendedAt = await schedule(0, startedAt + time)(signal);
    begun.push(work(at, intendedAt).then(value => ({ latencyMs: performance.now() - intendedAt, value })));
    // It is awaited below, with the others.
    begun.at(-1)!.catch(() => {});
  }
  const ended = await Promise.allSettled(begun);
  return ended.map(each => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}
