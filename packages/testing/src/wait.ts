import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** How long to wait at most, 20 s by default. */
  limitMs?: number;
  /** The pause between two looks, 20 ms by default. */
  everyMs?: number;
}

type Nothing = undefined | null | false | 0 | '';

/**
 * Calls `look` until it returns something truthy, and returns that. Fails with `what` once the limit has passed, and at
 * once when `look` throws: an assertion in it says that waiting longer is of no use.
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
