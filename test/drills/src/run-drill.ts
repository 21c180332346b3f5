import { waitFor } from '@recording-request/stack/wait';
import type { Sent } from './alert.ts';
import type { Drill } from './drill.ts';
import { isExpected, judgeDrill, type Verdict } from './judge.ts';
import { stretched } from './limits.ts';
import { quiet } from './quiet.ts';
import type { System } from './system/system.ts';
import type { Row } from './table.ts';

const FIRE_MS = 90_000;
/** The time for which the fault continues after its alert, so that other alerts can fire. */
const STAY_MS = 8_000;
const QUIET_MS = 150_000;

/** The result of one drill. */
export interface Result {
  row: Row;
  /** Sentences about failures; none when the drill passed or could not run. */
  misses: string[];
  /** Notes for the log. */
  notes: string[];
}

/** Causes the drill's fault, waits for its alert, removes the fault, and waits until no alert fires. Rejects when the signal fires. */
export async function runDrill(drill: Drill, system: System, signal: AbortSignal): Promise<Result> {
  const { expects } = drill;
  const { sent } = system.pager;
  const from = sent.length;
  const since = () => sent.slice(from);
  const began = Date.now();
  const repair = new AsyncDisposableStack();
  let refused: string | undefined;
  try {
    refused = (await drill.begin(system, repair)) ?? undefined;
    if (!refused) await fired(drill, since, { limitMs: stretched(FIRE_MS, system.factor), signal });
  } finally {
    await repair.disposeAsync();
  }
  const ended = Date.now();
  const expected = `${expects.severity} ${expects.alert}`;
  if (refused)
    return {
      row: { name: drill.name, expected, actual: '', after: undefined, quietAfter: undefined, verdict: 'not tried' },
      ...{ misses: [], notes: [refused] },
    };
  const quietAt = await quiet(system, { limitMs: stretched(QUIET_MS, system.factor), signal });
  const verdict = judgeDrill(expects, { sent: since(), began, quietAt });
  return {
    row: {
      name: drill.name,
      expected,
      actual: actualOf(verdict, expected),
      after: verdict.firedAfter,
      quietAfter: quietAt && (quietAt - ended) / 1_000,
      verdict: verdict.misses.length === 0 ? 'ok' : 'missed',
    },
    misses: verdict.misses,
    notes: [`sent: ${sentInWords(since(), began)}; the fault ended after ${Math.round((ended - began) / 1_000)} s`],
  };
}

async function fired(
  { expects }: Drill,
  since: () => Sent[],
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<void> {
  const own = async () => (since().some(each => isExpected(each, expects)) ? true : undefined);
  // If the alert is missing, the verdict reports it.
  const hasFired = await waitFor(expects.alert, own, { timeoutMs: limitMs, intervalMs: 200, signal }).catch(
    () => false,
  );
  signal.throwIfAborted();
  if (hasFired) await stay(signal);
}

const stay = (signal: AbortSignal) => {
  const until = Date.now() + STAY_MS;
  return waitFor('the rest', async () => (Date.now() > until ? true : undefined), {
    ...{ timeoutMs: STAY_MS * 2, intervalMs: 200, signal },
  });
};

/** Returns each sent alert once, with the seconds since the fault. */
function sentInWords(sent: Sent[], began: number): string {
  const first = new Map<string, number>();
  for (const { severity, alert, at } of sent) {
    const name = `${severity} ${alert}`;
    if (!first.has(name)) first.set(name, Math.round((at - began) / 1_000));
  }
  return [...first].map(([name, seconds]) => `${name} after ${seconds} s`).join(', ') || 'nothing';
}

const actualOf = ({ firedAfter, others }: Verdict, expected: string): string =>
  [...(firedAfter === undefined ? [] : [expected]), ...others.map(other => `page ${other}`)].join(', ');
