import { measureCapacity } from './capacity.ts';
import { judgeRun, judgeStep, type Verdict } from './judge.ts';
import type { Options } from './options.ts';
import { stepTable } from './report/table.ts';
import { runStep, type StepResult } from './step.ts';
import { openSystem, type SystemOptions } from './system.ts';

export interface LoadResult {
  steps: StepResult[];
  verdicts: Verdict[];
}

/**
 * The duration of a window for the capacity: a tenth of a step, but within these bounds. The clips in each window are
 * counted.
 */
const WINDOW_SHARE = 0.1;
const [SHORTEST_MS, LONGEST_MS] = [10_000, 60_000];

/** Starts the product, measures its capacity, runs the steps, and checks every clip. Stops everything before it resolves or rejects. */
export async function runLoad(
  { minutes, steps, capacity: named }: Pick<Options, 'minutes' | 'steps' | 'capacity'>,
  place: SystemOptions,
): Promise<LoadResult> {
  const { log } = place;
  await using system = await openSystem(place);
  const windowMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, WINDOW_SHARE * 60_000 * minutes));
  if (named === undefined) log('measuring the capacity …');
  const capacity = named ?? (await measureCapacity(system, windowMs));
  log(`capacity: ${capacity.toFixed(1)} clips a minute${named === undefined ? '' : ' (given)'}`);
  const results: StepResult[] = [];
  const verdicts: Verdict[] = [];
  for (const percent of steps) {
    log(`\n… ${percent} % for ${minutes} min`);
    const result = await runStep(system, { percent, capacity, minutes });
    // The step that is closest to the load after an overload.
    const before = results.filter(each => each.percent <= 100).sort((a, b) => a.percent - b.percent)[0];
    verdicts.push(...judgeStep(result, before));
    results.push(result);
    log(stepTable(result));
  }
  log('\nchecking every clip …');
  verdicts.push(...judgeRun(await system.violations(), system.crashes));
  return { steps: results, verdicts };
}
