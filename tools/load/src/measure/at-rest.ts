import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '../system.ts';

/** The product's return to rest after the last contributor. */
export interface Rest {
  /** The seconds until every group had read its topics and every clip was complete; undefined after the time limit. */
  seconds: number | undefined;
  /** The remaining work, in words; "" if there is none. */
  left: string;
}

const LOOK_MS = 500;

/** Waits until no work is left, for `limitMs` milliseconds at most. */
export async function comeToRest({ leftovers, pipeline, signal }: System, limitMs: number): Promise<Rest> {
  const startedAt = performance.now();
  for (;;) {
    const seconds = (performance.now() - startedAt) / 1_000;
    const behind = (await leftovers.lags()).filter(({ records }) => records > 0);
    const clips = pipeline.pending();
    if (behind.length === 0 && clips === 0) return { seconds, left: '' };
    if (1_000 * seconds > limitMs) {
      const groups = behind.map(({ group, topic, records }) => `${group} is ${records} records behind ${topic}`);
      return { seconds: undefined, left: [`${clips} clips are not complete`, ...groups].join(', ') };
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}
