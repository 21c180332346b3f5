import { closedLoop } from '@recording-request/bench/load/closed-loop';
import { oneContributor } from './load.ts';
import { createTally, sum } from './measure/tally.ts';
import { steadyOf, windowsOf } from './measure/windows.ts';
import { READS_PER_CLIP, readSomething } from './owners/reads.ts';
import type { System } from './system.ts';

/** How many clips a minute went through everything, with so many contributors at once. */
export interface Level {
  contributors: number;
  clipsPerMinute: number;
}

export interface Capacity {
  clipsPerMinute: number;
  levels: readonly Level[];
}

const FEWEST = 8;
const MOST = 512;
/** Twice as many contributors that bring no more than this gain have found the limit. */
const GAIN = 1.1;
const THROUGH_MS = 180_000;

/**
 * Measures how many clips a minute land, are processed, transcribed and told by webhook. A closed loop: the next contributor comes
 * when all of that is done for the one before, so that no backlog grows; there are twice as many at once, and twice as many again,
 * until that brings no more. Owners read meanwhile, as in the steps. Rejects where a request fails: capacity with errors is none.
 */
export async function measureCapacity(system: System, windowMs: number): Promise<Capacity> {
  const levels: Level[] = [];
  for (let contributors = FEWEST; contributors <= MOST; contributors *= 2) {
    const best = Math.max(0, ...levels.map(({ clipsPerMinute }) => clipsPerMinute));
    const rate = await rateWith(system, contributors, windowMs);
    if (rate === undefined) {
      system.log(`    ${contributors} contributors at once: some are told to come again`);
      break;
    }
    const level = { contributors, clipsPerMinute: rate };
    levels.push(level);
    system.log(`    ${contributors} contributors at once: ${level.clipsPerMinute.toFixed(1)} clips a minute`);
    if (level.clipsPerMinute < best * GAIN) break;
  }
  if (levels.length === 0)
    throw new Error(`already ${FEWEST} contributors at once are told to come again: no capacity can be told`);
  return { clipsPerMinute: Math.max(...levels.map(({ clipsPerMinute }) => clipsPerMinute)), levels };
}

/** Clips a minute; undefined where somebody was told to come again, which is more than the product takes. */
async function rateWith(system: System, contributors: number, windowMs: number): Promise<number | undefined> {
  const tally = createTally();
  const doneAt: number[] = [];
  let begun = 0;
  const work = async () => {
    const name = `capacity ${contributors}/${begun++}`;
    const random = system.random.fork(`${name}/reads`);
    const clip = await oneContributor(system, { tally, name, intendedAt: performance.now() });
    if (!clip)
      throw new Error(`a contributor could not hand in a clip: ${Object.keys(tally.read().errors).join('; ')}`);
    const reads = Array.from({ length: READS_PER_CLIP }, () =>
      readSomething(system, { tally, random, intendedAt: performance.now() }),
    );
    await Promise.all([inTime(clip.through), ...reads]);
    doneAt.push(performance.now());
  };
  let rate = 0;
  await closedLoop(work, {
    lanes: contributors,
    isEnough() {
      system.signal.throwIfAborted();
      // Before each has done one, the first of them found an idle product.
      if (doneAt.length <= contributors) return false;
      const windows = windowsOf(doneAt.slice(contributors), doneAt[contributors - 1]!, performance.now(), windowMs);
      const steady = steadyOf(windows);
      if (steady !== undefined) rate = (steady * 60_000) / windowMs;
      return steady !== undefined;
    },
  });
  const { errors, shed } = tally.read();
  if (sum(errors) > 0)
    throw new Error(`with ${contributors} contributors at once requests failed (${Object.keys(errors).join('; ')})`);
  return sum(shed) > 0 ? undefined : rate;
}

async function inTime(through: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`a clip was not through everything ${THROUGH_MS / 1_000} s after it had landed`)),
    THROUGH_MS,
  );
  try {
    await Promise.race([through, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
