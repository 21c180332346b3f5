import { findingResult, type RowResult, rowResult, unmeasured } from './report/results.ts';
import { lineOf } from './report/table.ts';
import type { Bench, Row } from './row.ts';
import { runRounds } from './stats/rounds.ts';

export interface MeasureOptions {
  rounds: number;
  maxRounds: number;
  anyNoise: boolean;
  random: () => number;
  /** Returns the run's remaining time in seconds. */
  left: () => number;
  /** The time that the later rows need, in seconds. */
  later: number;
  /** True if the time limit also applies to the first rounds. */
  bounded: boolean;
}

/**
 * Prepares a row, checks its variants' answers, and measures them. Returns "not measured" when an answer is wrong or the time is too
 * short. Rejects only when the run must end.
 */
export async function measureRow(row: Row, bench: Bench, options: MeasureOptions): Promise<RowResult> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const { left, later, bounded } = options;
  const remaining = left();
  if (bounded && 60 * row.minutes > remaining) return unmeasured(row, tooLate(row, remaining), 0);
  try {
    await using stack = new AsyncDisposableStack();
    bench.log(`${row.name}  ${row.title}: preparing …`);
    const variants = await row.prepare(bench, stack);
    const began = performance.now();
    let taken = 0;
    const secondsOf = (rounds: number) => (rounds * (performance.now() - began)) / 1000 / taken;
    const outcome = await runRounds({
      ...options,
      variants: Object.keys(variants),
      turns: row.turns,
      atOnce: row.atOnce,
      goals: row.goals,
      selfGoals: row.self,
      mayContinue: more => secondsOf(more) + later < left(),
      hasTime: () => !bounded || secondsOf(1) < left(),
      measure: variant => variants[variant]!(),
      onRound(at, of, noise) {
        taken += 1;
        const which = at === 0 ? 'warm-up round' : `round ${at} of ${of}`;
        bench.log(
          `    ${which} after ${seconds().toFixed(0)} s, other programs had ${(100 * noise).toFixed(1)} % of the CPU`,
        );
      },
      onOpen(open) {
        for (const finding of open) bench.log(`    undecided: ${lineOf(findingResult(finding))}`);
      },
    });
    return rowResult(row, outcome, seconds());
  } catch (error) {
    bench.signal.throwIfAborted();
    return unmeasured(row, error instanceof Error ? error.message : String(error), seconds());
  }
}

const tooLate = ({ name, minutes }: Row, seconds: number) =>
  `it takes about ${minutes} min, and ${Math.max(0, Math.floor(seconds / 60))} min of the run's hour remained: npm run bench -- ${name} measures it alone`;
