import { type Groups, MIN_TICKS, startMeter, TICK_MS } from '@recording-request/harness/meter';
import { createFairSlots, ownName } from '@recording-request/kit/fair-slots';
import { closedLoop } from './load/closed-loop.ts';
import type { Bench } from './row.ts';
import type { Metrics } from './stats/goal.ts';
import { quantile } from './stats/interval.ts';
import type { Sample } from './stats/rounds.ts';

/** A sample that cannot reach its ticks in this time measures something that uses no CPU. */
const LIMIT_SECONDS = 90;

/** For one of several turns of a round: samples that last a part of what one by itself does. */
export function partOf(bench: Bench, share: number): Bench {
  const { scale } = bench;
  return { ...bench, scale: { ...scale, minTicks: scale.minTicks * share, minSeconds: scale.minSeconds * share } };
}

/** Takes what `work` measured together with what the machine did meanwhile. */
export async function timed(bench: Bench, work: () => Promise<Metrics>): Promise<Sample> {
  bench.signal.throwIfAborted();
  const meter = startMeter({});
  const metrics = await work();
  return { metrics, machine: meter.read().machine };
}

/** Returns how long work took, in milliseconds. */
export async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Runs work alone. */
export type OneByOne = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Returns what runs one piece of work after the other, in the order in which they were asked for. Variants that are measured at once
 * alternate by it: what the machine does in a moment is the same for all of them.
 */
export function oneByOne(signal: AbortSignal): OneByOne {
  const slots = createFairSlots(1, { queued: 1_000 });
  return async work => {
    using _ = await slots.take(ownName(), signal);
    return await work();
  };
}

/** Returns the median of how long each of so many requests took, in milliseconds; each runs alone. */
export async function medianMs(alone: OneByOne, request: () => Promise<unknown>, count: number): Promise<number> {
  const each: number[] = [];
  for (let done = 0; done < count; done++) each.push(await alone(() => msOf(request)));
  return quantile(each, 0.5);
}

export interface LoopPlan {
  /** The processes whose CPU time is counted, and others whose time is shown apart. */
  counted: readonly number[];
  servers: readonly number[];
  lanes: number;
  work: (lane: number) => Promise<void>;
  /** Units of work in one call, such as gigabytes; 1 by default. */
  units?: number;
}

/**
 * Keeps `lanes` requests under way until the counted processes have used enough CPU time for a figure. Measures `rate`
 * (units a second), `cpuMs` of the counted processes and `serverMs` of the servers (both a unit).
 */
export async function loopSample(bench: Bench, plan: LoopPlan): Promise<Sample> {
  bench.signal.throwIfAborted();
  const { minSeconds, minTicks } = bench.scale;
  const groups: Groups = { counted: plan.counted, servers: plan.servers };
  const meter = startMeter(groups);
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
  const perUnit = (group: string) => ((ticks[group] ?? 0) * TICK_MS) / units;
  return { metrics: { rate: units / seconds, cpuMs: perUnit('counted'), serverMs: perUnit('servers') }, machine };
}
