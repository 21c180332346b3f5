import { LRUCache } from 'lru-cache';
import { sharedRead } from './batcher.ts';

/** What shows whether the rows that a value was computed from are still the same. */
export interface Stamp {
  /** Differs after each change of the rows. */
  text: string;
  /** How long ago the last change was that it shows, by the clock that dated it, in milliseconds. */
  restedMs: number;
}

export interface StampCache<T> {
  /** Returns the values of these keys; `compute` is given those whose stamp is not the one under which they are kept. */
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
  /** What all values may take together, where they are large; `of` says what one takes. */
  bytes?: { max: number; of(value: T): number };
  ticks?: () => number;
}

/**
 * A cache in memory of values that are computed from many rows and stamped with the time of their last change. The stamps are
 * to be read before: a change that comes while a value is computed then shows in the next stamp. What changed less than
 * `restMs` ago is not kept, as another change of the same moment may still be under way; those who ask for one such value while it is
 * computed share the next computation, so that many who look at what changes all the time cost as much as two. After `maxAgeMs` a value is
 * computed again whatever its stamp: it makes up for a change that no stamp showed.
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
    // A value that is larger than all may be is not kept.
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
      // What is not true any more is not held until it is computed again either.
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
