import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import type { Harness } from '../harness/harness.ts';
import type { ContributeOptions } from './contributor.ts';
import type { Entry } from './ledger.ts';

/** Runs contributors that arrive one by one, spread evenly over `overMs` milliseconds. Resolves when the last is done. */
export async function trickle(
  harness: Harness,
  count: number,
  random: Random,
  options: { overMs: number; speech?: number; padBytes?: number; contribute?: ContributeOptions },
): Promise<Entry[]> {
  const { overMs, speech = 0.12, padBytes = 0, contribute } = options;
  const { plain, spoken } = await harness.projects();
  const one = async (at: number) => {
    const mine = random.fork(`take ${at}`);
    await delay((overMs * at) / count);
    const speaks = mine.chance(speech);
    const take = harness.take(mine, { speaks, padBytes });
    return harness.contribute({ project: speaks ? spoken : plain }, take, mine, contribute);
  };
  return Promise.all(Array.from({ length: count }, (_, at) => one(at)));
}
