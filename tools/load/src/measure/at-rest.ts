import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '../system.ts';

/** How the product came to rest after the last contributor. */
export interface Rest {
  /** Seconds until every group had read its topics and everything was made of each clip; undefined: not in time. */
  seconds: number | undefined;
  /** What was left then, in words; "" when nothing was. */
  left: string;
}

const LOOK_MS = 500;

/** Waits until there is nothing left to do, for `limitMs` milliseconds at most. */
export async function comeToRest({ leftovers, pipeline, signal }: System, limitMs: number): Promise<Rest> {
  const startedAt = performance.now();
  for (;;) {
    const seconds = (performance.now() - startedAt) / 1_000;
    const behind = (await leftovers.lags()).filter(({ records }) => records > 0);
    const clips = pipeline.pending();
    if (behind.length === 0 && clips === 0) return { seconds, left: '' };
    if (1_000 * seconds > limitMs) {
      const groups = behind.map(({ group, topic, records }) => `${group} is ${records} records behind ${topic}`);
      return { seconds: undefined, left: [`${clips} clips are not through`, ...groups].join(', ') };
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}
