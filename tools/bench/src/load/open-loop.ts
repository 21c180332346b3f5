import { setTimeout as delay } from 'node:timers/promises';

/**
 * Returns a function that waits for the next sending time, and resolves to it. The times are `everyMs` apart. If the time is
 * in the past, the function does not wait: the request is late, and its delay counts.
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

export interface Arrival<T> {
  /** The milliseconds from the intended time to the answer. A wait before sending counts too. */
  latencyMs: number;
  value: T;
}

/**
 * Returns the times of independent (Poisson) arrivals, `perMinute` a minute for `forMs` milliseconds: ascending, in milliseconds
 * from the start.
 */
export function arrivals(perMinute: number, forMs: number, random: () => number): number[] {
  const times: number[] = [];
  const gap = () => (-60_000 * Math.log(1 - random())) / perMinute;
  for (let at = gap(); at < forMs; at += gap()) times.push(at);
  return times;
}

/**
 * Starts `work` at each of `times` (milliseconds from now, ascending), even if earlier work still runs; `intendedAt` is
 * the time by performance.now(). Resolves with all results in order; rejects with the first error, after all work has
 * ended.
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
    // Only prevents an unhandled rejection, because all results are awaited below.
    begun.at(-1)!.catch(() => {});
  }
  const ended = await Promise.allSettled(begun);
  return ended.map(each => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}
