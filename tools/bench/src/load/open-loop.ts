import { setTimeout as delay } from 'node:timers/promises';

/** One request of an open loop. */
export interface Arrival<T> {
  /** Milliseconds from the intended start of the loop to when it was to be sent. */
  intendedMs: number;
  /** Milliseconds from the intended time to the answer, so that a wait before sending counts as the answer's. */
  latencyMs: number;
  value: T;
}

/**
 * Sends `count` requests, one every `everyMs`, whether or not those before are answered. Resolves with all of them in the order
 * in which they were to be sent; rejects with the first error, once all have ended.
 */
export async function openLoop<T>(
  work: (at: number, intendedAt: number) => Promise<T>,
  { count, everyMs }: { count: number; everyMs: number },
): Promise<Arrival<T>[]> {
  const startedAt = performance.now();
  const sent: Promise<Arrival<T>>[] = [];
  for (let at = 0; at < count; at++) {
    const intendedAt = startedAt + at * everyMs;
    const early = intendedAt - performance.now();
    if (early > 0) await delay(early);
    sent.push(
      work(at, intendedAt).then(value => ({
        intendedMs: intendedAt - startedAt,
        latencyMs: performance.now() - intendedAt,
        value,
      })),
    );
    // It is awaited below, with the others.
    sent.at(-1)!.catch(() => {});
  }
  const ended = await Promise.allSettled(sent);
  return ended.map(each => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}
