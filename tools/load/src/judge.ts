import { SERVICES } from '@recording-request/stack/service-plan';
import { isFlat } from './measure/memory.ts';
import { AWAITED, sum, type TallyResult } from './measure/tally.ts';
import { RECOVERY_MS, type StepResult } from './step.ts';

export interface Verdict {
  /** A promise of the product, with its verdict. */
  promise: string;
  state: 'kept' | 'broken' | 'not judged';
  /** The observation. For a broken promise, it also names the expected value. */
  why: string;
}

/** The maximum time until the product is at rest after a load below its capacity, in seconds. */
const REST_SECONDS = 60;
/** During the first minutes, a heap still grows to the size of its load, so a shorter step has no verdict on memory. */
const MEMORY_MINUTES = 5;
/**
 * The tolerance of p50 and p95 after a recovery: a factor, plus milliseconds, because a busy machine delays any
 * operation.
 */
const NORMAL = { p50: { factor: 1.5, ms: 50 }, p95: { factor: 2, ms: 200 } } as const;
/** The minimum number of samples for a p95. */
const FEWEST = 20;
const MIB = 1024 ** 2;

/** Returns the verdicts on one step. `before` is a step below the capacity; the recovery is compared with it. */
export function judgeStep(step: StepResult, before: StepResult | undefined): Verdict[] {
  return step.percent > 100 ? overload(step, before) : within(step);
}

/** Returns the verdicts on the whole run: the checker's findings, and services that ended by themselves. */
export function judgeRun(violations: readonly string[], crashes: readonly string[]): Verdict[] {
  return [
    verdict('no acknowledged clip is lost, duplicated or incomplete', violations),
    verdict('no service ends by itself', crashes),
  ];
}

function within({ percent, minutes, tally, memory, rest }: StepResult): Verdict[] {
  const at = `at ${percent} %`;
  const failed = [...countsOf(tally.errors), ...countsOf(tally.shed)];
  const grown = SERVICES.filter(name => !isFlat(memory[name])).map(
    name => `${name} grew from ${mib(memory[name].early)} to ${mib(memory[name].late)} MiB`,
  );
  const flat = `${at} memory is flat`;
  return [
    verdict(`${at} every request succeeds`, failed, `all of ${tally.requests}`, 'no error was expected; there were: '),
    restOf(`${at} the lag is back to 0 within ${REST_SECONDS} s`, rest, REST_SECONDS),
    minutes < MEMORY_MINUTES
      ? { promise: flat, state: 'not judged', why: `this needs a step of ${MEMORY_MINUTES} minutes` }
      : verdict(flat, grown),
  ];
}

function overload({ percent, tally, rest, recovery }: StepResult, before: StepResult | undefined): Verdict[] {
  const at = `at ${percent} %`;
  const shed = sum(tally.shed);
  const accepted = shed === 0 ? 'no refusals' : `${shed} refusals of ${tally.requests} requests`;
  const expected = 'only 503 or 429 with Retry-After was expected; there were: ';
  return [
    verdict(`${at} refusals have Retry-After`, countsOf(tally.errors), accepted, expected),
    restOf(`after ${percent} % the lag is back to 0`, rest, Number.POSITIVE_INFINITY),
    normalAgain(percent, recovery, before),
  ];
}

function restOf(promise: string, { seconds, left }: StepResult['rest'], limit: number): Verdict {
  if (seconds === undefined) return { promise, state: 'broken', why: `expected all work to be done; ${left}` };
  const why = `after ${seconds.toFixed(1)} s`;
  return seconds <= limit
    ? { promise, state: 'kept', why }
    : { promise, state: 'broken', why: `${why}; the limit is ${limit} s` };
}

function normalAgain(percent: number, recovery: TallyResult | undefined, before: StepResult | undefined): Verdict {
  const promise = `${RECOVERY_MS / 1_000} s after ${percent} % the product is as fast as before`;
  if (!before || !recovery)
    return { promise, state: 'not judged', why: 'no step below the capacity ran before it for comparison' };
  const failed = [...countsOf(recovery.errors), ...countsOf(recovery.shed)];
  const slow = AWAITED.flatMap(name => slower(name, recovery, before.tally));
  const judged = AWAITED.filter(name => isJudged(name, recovery, before.tally));
  const { percent: share } = before;
  if (failed.length + slow.length === 0 && judged.length < AWAITED.length)
    return {
      promise,
      state: 'not judged',
      why: `${AWAITED.filter(name => !judged.includes(name)).join(', ')}: fewer than ${FEWEST} samples`,
    };
  return verdict(promise, [...failed, ...slow], `as at ${share} %`, `expected the figures of ${share} %; there were: `);
}

const isJudged = (name: (typeof AWAITED)[number], after: TallyResult, before: TallyResult): boolean =>
  Math.min(after.latencies[name]?.count ?? 0, before.latencies[name]?.count ?? 0) >= FEWEST;

/** Returns a sentence for each quantile of one operation's latency that is too high. */
function slower(name: (typeof AWAITED)[number], after: TallyResult, before: TallyResult): string[] {
  if (!isJudged(name, after, before)) return [];
  return (['p50', 'p95'] as const).flatMap(quantile => {
    const [now, then] = [after.latencies[name]![quantile], before.latencies[name]![quantile]];
    const most = then * NORMAL[quantile].factor + NORMAL[quantile].ms;
    return now <= most ? [] : [`${name} ${quantile} ${now.toFixed(0)} ms, at most ${most.toFixed(0)} is normal`];
  });
}

function verdict(promise: string, found: readonly string[], kept = '', expected = ''): Verdict {
  return found.length === 0
    ? { promise, state: 'kept', why: kept }
    : { promise, state: 'broken', why: `${expected}${found.join('; ')}` };
}

const countsOf = (counts: Record<string, number>): string[] =>
  Object.entries(counts).map(([what, times]) => `${times} × ${what}`);

const mib = (bytes: number): string => (bytes / MIB).toFixed(0);
