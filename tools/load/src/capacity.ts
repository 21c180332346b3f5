import { closedLoop } from '@recording-request/bench/load/closed-loop';
import { oneContributor } from './load.ts';
import { createTally, sum } from './measure/tally.ts';
import { steadyOf, windowsOf } from './measure/windows.ts';
import { READS_PER_CLIP, readSomething } from './owners/reads.ts';
import type { System } from './system.ts';

const FEWEST = 8;
const MOST = 512;
/** Capacity is reached when twice as many contributors increase the throughput by less than this factor. */
const GAIN = 1.1;
const THROUGH_MS = 180_000;

/**
 * Measures how many clips a minute land, are processed, transcribed and reported by webhook. In this closed loop, the
 * next contributor arrives when the previous clip is complete, so the backlog does not grow. Doubles the number of
 * contributors until the gain is small. Owners read at the same time, as in the steps. Rejects if a request fails,
 * because a load with errors exceeds the capacity.
 */
export async function measureCapacity(system: System, windowMs: number): Promise<number> {
  let best = 0;
  for (let contributors = FEWEST; contributors <= MOST; contributors *= 2) {
    const rate = await rateWith(system, contributors, windowMs);
    if (rate === undefined) {
      system.log(`    ${contributors} contributors at once: the product refused some with Retry-After`);
      break;
    }
    system.log(`    ${contributors} contributors at once: ${rate.toFixed(1)} clips a minute`);
    const isLast = rate < best * GAIN;
    best = Math.max(best, rate);
    if (isLast) break;
  }
  if (best === 0)
    throw new Error(
      `the product refuses ${FEWEST} contributors at once with Retry-After: the capacity cannot be measured`,
    );
  return best;
}

/**
 * Returns the clips a minute. Returns undefined when the product refused a contributor with Retry-After, which means
 * that the load exceeds its capacity.
 */
async function rateWith(system: System, contributors: number, windowMs: number): Promise<number | undefined> {
  const tally = createTally();
  const doneAt: number[] = [];
  let begun = 0;
  const work = async () => {
    const name = `capacity ${contributors}/${begun++}`;
    const random = system.random.fork(`${name}/reads`);
    const clip = await oneContributor(system, { tally, name, intendedAt: performance.now() });
    if (!clip) throw new Error(`a contributor could not send a clip: ${Object.keys(tally.read().errors).join('; ')}`);
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
      // Counts only after each contributor has sent one clip, because the first clips find an idle product.
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
    () => late.reject(new Error(`a clip was not complete ${THROUGH_MS / 1_000} s after its landing`)),
    THROUGH_MS,
  );
  try {
    await Promise.race([through, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
