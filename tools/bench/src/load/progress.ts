import { setTimeout as delay } from 'node:timers/promises';

/** Work that waits, of one kind. */
export interface Batch {
  ids: readonly string[];
  /** How many of them are done. */
  done(): Promise<number>;
}

export interface Progress {
  /** A second, while there was work for every worker. */
  rate: number;
  /** What was not done when the time was over. */
  lost: number;
}

const LOOK_MS = 50;

/**
 * Watches a batch until all of it is done, for `limitMs` at most. The rate is that from when each worker can have done one of its
 * `each` until when each can have one left: at its end some workers have nothing left.
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
