import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** The time limit; default 20 s. */
  limitMs?: number;
  /** The pause between two calls; default 20 ms. */
  everyMs?: number;
}

type Nothing = undefined | null | false | 0 | '';

/**
 * Calls `look` until it returns a truthy value, and returns this value. Fails with `what` after the time limit. Fails
 * at once when `look` throws, because a failed assertion makes waiting pointless.
 */
export async function until<T>(
  what: string,
  look: () => T | Nothing | Promise<T | Nothing>,
  { limitMs = 20_000, everyMs = 20 }: WaitOptions = {},
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
    await delay(everyMs);
  }
}
