import { MIN_TICKS, startMeter, TICK_MS } from '@recording-request/harness/meter';
import { createFairSlots, ownName } from '@recording-request/kit/fair-slots';
import { closedLoop } from './load/closed-loop.ts';
import type { Bench } from './row.ts';
import type { Metrics } from './stats/goal.ts';
import { quantile } from './stats/interval.ts';
import type { Sample } from './stats/rounds.ts';

/** A sample fails if its processes have not used enough CPU after this time. */
const LIMIT_SECONDS = 90;

/**
 * Returns a bench with shorter samples, for rows with several turns in a round. `share` is the part of the normal
 * duration.
 */
export function partOf(bench: Bench, share: number): Bench {
  const { scale } = bench;
  return { ...bench, scale: { ...scale, minTicks: scale.minTicks * share, minSeconds: scale.minSeconds * share } };
}

/** Returns the metrics of `work`, and the machine's CPU times during the work. */
export async function timed(bench: Bench, work: () => Promise<Metrics>): Promise<Sample> {
  bench.signal.throwIfAborted();
  const meter = startMeter({});
  const metrics = await work();
  return { metrics, machine: meter.read().machine };
}

/** Returns the duration of the work in milliseconds. */
export async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Runs work while no other work runs. */
export type OneByOne = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that runs one piece of work after the other, in the order of the calls. Variants that are measured
 * at the same time then alternate, so changes in the machine's speed affect all of them equally.
 */
export function oneByOne(signal: AbortSignal): OneByOne {
  const slots = createFairSlots(1, { queued: 1_000 });
  return async work => {
    using _ = await slots.take(ownName(), signal);
    return await work();
  };
}

/** Returns the median duration of `count` requests in milliseconds; each runs alone. */
export async function medianMs(alone: OneByOne, request: () => Promise<unknown>, count: number): Promise<number> {
  const each: number[] = [];
  for (let done = 0; done < count; done++) each.push(await alone(() => msOf(request)));
  return quantile(each, 0.5);
}

export interface LoopPlan {
  /** The processes whose CPU time is counted. */
  counted: readonly number[];
  lanes: number;
  work: (lane: number) => Promise<void>;
  /** Units of work in one call, such as gigabytes; 1 by default. */
  units?: number;
}

/**
 * Keeps `lanes` requests running until the counted processes have used enough CPU time for a figure. Measures `rate`
 * (units a second), and `cpuMs` (the CPU time of the counted processes for each unit).
 */
export async function loopSample(bench: Bench, plan: LoopPlan): Promise<Sample> {
  bench.signal.throwIfAborted();
  const { minSeconds, minTicks } = bench.scale;
  const meter = startMeter({ counted: plan.counted });
  const { count, seconds } = await closedLoop(plan.work, {
    lanes: plan.lanes,
    isEnough: (_, elapsed) => {
      bench.signal.throwIfAborted();
      if (elapsed > LIMIT_SECONDS) throw new Error(`under ${MIN_TICKS} ticks of CPU time in ${LIMIT_SECONDS} s`);
      return elapsed >= minSeconds && meter.ticks('counted') >= minTicks;
    },
  });
  const { ticks, machine } = meter.read();
  const units = count * (plan.units ?? 1);
  return { metrics: { rate: units / seconds, cpuMs: (ticks.counted! * TICK_MS) / units }, machine };
}
