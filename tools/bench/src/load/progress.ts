import { setTimeout as delay } from 'node:timers/promises';

/** Waiting work of one kind. */
export interface Batch {
  ids: readonly string[];
  /** Returns the number of finished items. */
  done(): Promise<number>;
}

export interface Progress {
  /** Units of work a second, measured while every worker had work. */
  rate: number;
  /** The number of units not done within the limit. */
  lost: number;
}

const LOOK_MS = 50;

/**
 * Watches a batch until it is done, for at most `limitMs`. Each worker gets `each` units. The rate excludes the time of
 * each worker's first and last unit, because during these some workers may be idle.
 */
export async function progressOf(
  { ids, done }: Batch,
  { each, limitMs, signal, lookMs = LOOK_MS }: { each: number; limitMs: number; signal: AbortSignal; lookMs?: number },
): Promise<Progress> {
  const startedAt = performance.now();
  const [from, to] = [ids.length / each, (ids.length * (each - 1)) / each];
  let [fromAt, toAt]: number[] = [];
  for (;;) {
    const count = await done();
    const seconds = (performance.now() - startedAt) / 1000;
    if (count >= from) fromAt ??= seconds;
    if (count >= to) toAt ??= seconds;
    if (count >= ids.length || 1000 * seconds > limitMs) {
      const rate = fromAt !== undefined && toAt !== undefined && toAt > fromAt ? (to - from) / (toAt - fromAt) : 0;
      return { rate, lost: ids.length - count };
    }
    await delay(lookMs, undefined, { signal });
  }
}
