import { setTimeout as delay } from 'node:timers/promises';
import { timeOf } from '@recording-request/observe/definitions/time';
import { waitFor } from '@recording-request/stack/wait';
import type { Expectation, Sent } from './alert.ts';
import type { Drill, Naming } from './drill.ts';
import { firstOf, isAbsent, isExpected, judgeDrill } from './judge.ts';
import { stretched } from './limits.ts';
import { quiet } from './quiet.ts';
import { runbookQuery } from './runbook-query.ts';
import type { System } from './system/system.ts';
import type { Row } from './table.ts';

const FIRE_MS = 90_000;
/** The time for which the fault continues after its alert, so that other alerts can fire. */
const STAY_MS = 8_000;
/** The time after the alert within which the runbook's query must name the broken part. */
const NAME_MS = 20_000;
const QUIET_MS = 120_000;

export interface Result {
  row: Row;
  /** Sentences about failures; none when the drill passed or could not run. */
  misses: string[];
  /** Notes for the log. */
  notes: string[];
}

/**
 * Causes the drill's fault, waits for its alert, runs the runbook's query, removes the fault, and waits until no
 * alert fires. Rejects when the signal fires.
 */
export async function runDrill(drill: Drill, system: System, signal: AbortSignal): Promise<Result> {
  const labels = { ...drill.expects.labels, ...drill.labels?.(system) };
  const expects: Expectation = { ...drill.expects, labels };
  const { sent } = system.pager;
  const from = sent.length;
  const began = Date.now();
  const during = await withFault(drill, expects, system, { from, began, signal });
  const expected = `${expects.severity} ${expects.alert}`;
  const none = { after: undefined, isDuring: false, named: '', others: [], quietAfter: undefined };
  if ('refused' in during)
    return { row: { name: drill.name, expected, ...none, verdict: 'not tried' }, misses: [], notes: [during.refused] };
  const { ended, naming } = during;
  const failure = await drill.recovers?.(system, { began, signal }).catch((error: Error) => error.message);
  signal.throwIfAborted();
  const quietAt = await quiet(system, { limitMs: stretched(QUIET_MS, system.factor), signal });
  const all = sent.slice(from);
  const verdict = judgeDrill(expects, { sent: all, began, ended, quietAt });
  const misses = [...verdict.misses, ...naming.misses, ...(failure ? [failure] : [])];
  const row: Row = {
    ...{ name: drill.name, expected, after: verdict.firedAfter, isDuring: verdict.isDuring, named: naming.named },
    others: verdict.others,
    quietAfter: quietAt && (quietAt - ended) / 1_000,
    verdict: misses.length === 0 ? 'ok' : 'missed',
  };
  const notes = [`sent: ${sentInWords(all, began)}; the fault ended after ${Math.round((ended - began) / 1_000)} s`];
  return { row, misses, notes };
}

/**
 * Returns the end of the fault (by Date.now()) and the part that the runbook's query named; or the reason why there was
 * no fault.
 */
async function withFault(
  drill: Drill,
  expects: Expectation,
  system: System,
  { from, began, signal }: { from: number; began: number; signal: AbortSignal },
): Promise<{ refused: string } | { ended: number; naming: Named }> {
  await using repair = new AsyncDisposableStack();
  const refused = await drill.begin(system, repair);
  if (refused) return { refused };
  const isSent = () => system.pager.sent.slice(from).some(each => isExpected(each, expects));
  // If the alert is missing, the verdict reports it.
  const hasFired = await holds(expects.alert, isSent, { timeoutMs: stretched(FIRE_MS, system.factor), signal });
  const until = Math.max(Date.now() + STAY_MS, began + (drill.lastsMs ?? 0));
  const naming = drill.names && hasFired ? await named(drill.names, system, signal) : NOTHING;
  if (hasFired) await delay(Math.max(0, until - Date.now()), undefined, { signal });
  return { ended: Date.now(), naming };
}

/** Returns whether the condition came true in time. */
async function holds(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<boolean> {
  const check = async () => (await condition()) || undefined;
  const isTrue = await waitFor(what, check, { timeoutMs, intervalMs: 200, signal }).catch(() => false);
  signal.throwIfAborted();
  return isTrue;
}

interface Named {
  /** The part that the query named; empty if it named none. */
  named: string;
  misses: string[];
}

const NOTHING: Named = { named: '', misses: [] };

/** Runs the runbook's query until its result names the broken part. */
async function named(naming: Naming, system: System, signal: AbortSignal): Promise<Named> {
  const { label, by, runbook } = naming;
  const query = await runbookQuery(naming, timeOf(system.factor));
  const value = typeof naming.value === 'string' ? naming.value : naming.value(system);
  let first: string | undefined;
  const names = async () => {
    const series = await system.prometheus.now(query);
    if (by === 'absent') return isAbsent(series, label, value);
    first = firstOf(series, label, by);
    return first === value;
  };
  if (await holds(query, names, { timeoutMs: stretched(NAME_MS, system.factor), signal }))
    return { named: by === 'absent' ? `no ${value}` : value, misses: [] };
  const wrong = by === 'absent' ? `still has ${value}` : `names ${first ?? 'nothing'}, not ${value}`;
  return { named: first ?? '', misses: [`the query of ${runbook} ${wrong}: ${query}`] };
}

/** Returns each sent alert once, with the seconds since the fault. */
function sentInWords(sent: Sent[], began: number): string {
  const first = new Map<string, number>();
  for (const { severity, alert, at } of sent) {
    const name = `${severity} ${alert}`;
    if (!first.has(name)) first.set(name, Math.round((at - began) / 1_000));
  }
  return [...first].map(([name, seconds]) => `${name} after ${seconds} s`).join(', ') || 'nothing';
}
