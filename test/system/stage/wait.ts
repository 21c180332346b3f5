import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 150;

/** Asks again until there is a value; rejects with what was waited for. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  limitMs = 90_000,
  everyMs = EVERY_MS,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms in vain for ${what}`);
    await pause(everyMs);
  }
}

/** Runs `work` over the items, at most `width` at once, and keeps their order. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return results;
}
