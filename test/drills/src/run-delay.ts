import { setTimeout as delay } from 'node:timers/promises';
import { timeOf } from '@recording-request/observe/definitions/time';
import type { Delay } from './drill.ts';
import { type Costs, isNamed, slowest } from './judge.ts';
import { stretched } from './limits.ts';
import { quiet } from './quiet.ts';
import type { Result } from './run-drill.ts';
import { runbookQuery } from './runbook-query.ts';
import { STEP_QUERY, type Step } from './step-query.ts';
import type { System } from './system/system.ts';

const LOOK_MS = 2_000;
const NAME_MS = 75_000;
const QUIET_MS = 150_000;

/**
 * Delays a step, runs the runbook's query until it names a step several times in a row, and ends the delay. Rejects
 * when the signal fires.
 */
export async function runDelay(it: Delay, system: System, signal: AbortSignal): Promise<Result> {
  const query = await runbookQuery(STEP_QUERY, timeOf(system.factor));
  const before = await costs(system, query);
  const answers: Costs[] = [];
  const began = Date.now();
  let named: number | undefined;
  await using repair = new AsyncDisposableStack();
  await it.begin(system, repair);
  while (named === undefined && Date.now() - began < stretched(NAME_MS, system.factor)) {
    await delay(LOOK_MS, undefined, { signal });
    answers.push(await costs(system, query));
    if (isNamed(it.step, answers)) named = Date.now();
  }
  await repair.disposeAsync();
  const ended = Date.now();
  const quietAt = await quiet(system, { limitMs: stretched(QUIET_MS, system.factor), signal });
  const last = answers.at(-1) ?? {};
  const misses = [
    ...(named ? [] : [`the runbook's query names ${slowest(last) ?? 'nothing'}, not ${it.step}`]),
    ...(quietAt === undefined ? ['alerts kept firing long after the delay had ended'] : []),
  ];
  return {
    row: {
      name: it.name,
      expected: it.step,
      after: named && (named - began) / 1_000,
      isDuring: named !== undefined,
      named: slowest(last) ?? '',
      others: [],
      quietAfter: quietAt && (quietAt - ended) / 1_000,
      verdict: misses.length === 0 ? 'ok' : 'missed',
    },
    misses,
    notes: [it.what, `before: ${inWords(before)}`, `with it: ${inWords(last)}`],
  };
}

async function costs({ prometheus }: System, query: string): Promise<Costs> {
  const samples = await prometheus.now(query);
  return Object.fromEntries(samples.map(({ labels, points }) => [labels.server as Step, points[0]![1]]));
}

const inWords = (all: Costs): string =>
  Object.entries(all)
    .sort(([, a], [, b]) => b - a)
    .map(([step, seconds]) => `${step} ${seconds.toFixed(2)}`)
    .join(', ') || 'nothing';
