import { setTimeout as delay } from 'node:timers/promises';
import { runStretch } from './load.ts';
import { comeToRest, type Rest } from './measure/at-rest.ts';
import { type Cpu, watchCpu } from './measure/cpu.ts';
import { type Memory, watchMemory } from './measure/memory.ts';
import { createTally, type TallyResult } from './measure/tally.ts';
import type { System } from './system.ts';

export interface StepResult {
  /** Share of the capacity. */
  percent: number;
  clipsPerMinute: number;
  minutes: number;
  /** The number of clips that were complete when the product was at rest. */
  clips: number;
  tally: TallyResult;
  memory: Memory;
  cpu: Cpu;
  /** The number of clips that waited for each stage when the last contributor had arrived. */
  waiting: Record<string, number>;
  rest: Rest;
  /** After an overload: the results at `RECOVERY_PERCENT`, from `RECOVERY_MS` after the overload on. */
  recovery: TallyResult | undefined;
}

export const RECOVERY_PERCENT = 50;
/** After an overload, the product must be as fast as before within this time. */
export const RECOVERY_MS = 60_000;
/** The recovery is observed until both this time and this number of clips are reached, but at most for `mostMs`. */
const LOOKED_AT = { ms: 60_000, clips: 40, mostMs: 300_000 };
/** The product must be at rest within this time plus four times the duration of arrivals. */
const REST_MS = 300_000;

/** Lets contributors arrive at a share of the capacity, and waits until the product is at rest. */
export async function runStep(
  system: System,
  { percent, capacity, minutes }: { percent: number; capacity: number; minutes: number },
): Promise<StepResult> {
  const before = system.pipeline.finished;
  const [tally, recovery] = [createTally(), createTally()];
  const isOverload = percent > 100;
  const forMs = 60_000 * minutes;
  const clipsPerMinute = (capacity * percent) / 100;
  const less = (capacity * RECOVERY_PERCENT) / 100;
  const memory = watchMemory(system.services);
  const cpu = watchCpu(system.services);
  const stretches = [runStretch(system, { fromMs: 0, forMs, clipsPerMinute, tally, name: `${percent} %` })];
  if (isOverload) {
    const settling = { fromMs: forMs, forMs: RECOVERY_MS, tally, name: `after ${percent} %, first` };
    const lookedAtMs = Math.min(LOOKED_AT.mostMs, Math.max(LOOKED_AT.ms, (LOOKED_AT.clips / less) * 60_000));
    const settled = { fromMs: forMs + RECOVERY_MS, forMs: lookedAtMs, tally: recovery, name: `after ${percent} %` };
    for (const each of [settling, settled]) stretches.push(runStretch(system, { ...each, clipsPerMinute: less }));
  }
  const ended = delay(forMs, undefined, { signal: system.signal }).then(() => ({
    cpu: cpu.read(),
    waiting: system.pipeline.waiting(),
  }));
  const [atEnd] = await Promise.all([ended, ...stretches]);
  const used = memory.read();
  const rest = await comeToRest(system, REST_MS + 4 * forMs);
  return {
    ...{ percent, clipsPerMinute, minutes, clips: system.pipeline.finished - before },
    ...atEnd,
    ...{ tally: tally.read(), memory: used, rest, recovery: isOverload ? recovery.read() : undefined },
  };
}
