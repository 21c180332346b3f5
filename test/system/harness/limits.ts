import type { WaitOptions } from '@recording-request/testing/wait';

/** The wait limit in tests of the whole system, because six processes share a busy machine. */
export const SYSTEM_WAIT: WaitOptions = { limitMs: 90_000, everyMs: 150 };

/** Runs `work` on the items, at most `width` at once. Returns the results in the order of the items. */
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
