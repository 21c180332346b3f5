import { LRUCache } from 'lru-cache';
import { sharedRead } from './batcher.ts';

/** A mark of the rows that a value was computed from. It shows whether the rows have changed. */
export interface Stamp {
  /** Differs after each change. */
  text: string;
  /** The milliseconds since the last change of the rows, by the clock that dated the change. */
  restedMs: number;
}

export interface StampCache<T> {
  /** Returns the values of these keys. `compute` gets the keys without a cached value for their current stamp. */
  get(keys: readonly string[], stamps: ReadonlyMap<string, Stamp>, compute: Compute<T>): Promise<Map<string, T>>;
}

type Compute<T> = (keys: string[]) => Promise<ReadonlyMap<string, T>>;

interface Kept<T> {
  text: string;
  value: T;
}

export interface StampCacheOptions<T> {
  max?: number;
  restMs?: number;
  maxAgeMs?: number;
  /** For large values: `max` limits the bytes of all values together; `of` returns the bytes of one value. */
  bytes?: { max: number; of(value: T): number };
  ticks?: () => number;
}

/**
 * Caches values that are computed from many rows, by a stamp of the rows' last change. Read the stamp first: a change
 * during the computation then shows in the next stamp. Does not cache a value whose rows changed less than `restMs`
 * ago, because another change with the same time may still be running; concurrent callers for such a value share the
 * next computation. Computes a value again after `maxAgeMs` even if its stamp is the same, in case a change did not
 * change the stamp.
 */
export function createStampCache<T>({
  max = 10_000,
  restMs = 2_000,
  maxAgeMs = 600_000,
  bytes,
  ticks = () => performance.now(),
}: StampCacheOptions<T> = {}): StampCache<T> {
  const kept = new LRUCache<string, Kept<T>>({
    max,
    ttl: maxAgeMs,
    ttlResolution: 0,
    perf: { now: ticks },
    // A value larger than the whole limit is not cached.
    ...(bytes && { maxSize: bytes.max, sizeCalculation: ({ value }: Kept<T>) => Math.max(1, bytes.of(value)) }),
  });
  const computeOne = sharedRead<{ key: string; compute: Compute<T> }, ReadonlyMap<string, T>>(
    ({ key }) => key,
    ({ key, compute }) => compute([key]),
  );
  return {
    async get(keys, stamps, compute) {
      const values = new Map<string, T>();
      const unknown: string[] = [];
      for (const key of keys) {
        const entry = kept.get(key);
        if (entry && entry.text === stamps.get(key)?.text) values.set(key, entry.value);
        else unknown.push(key);
      }
      if (unknown.length === 0) return values;
      // Removes outdated values at once, before the new values exist.
      for (const key of unknown) kept.delete(key);
      const [key, ...others] = unknown as [string, ...string[]];
      const found = others.length > 0 ? await compute(unknown) : await computeOne({ key, compute });
      for (const [key, value] of found) {
        values.set(key, value);
        const stamp = stamps.get(key);
        if (stamp && stamp.restedMs >= restMs) kept.set(key, { text: stamp.text, value });
      }
      return values;
    },
  };
}
