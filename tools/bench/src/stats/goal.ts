import { COVERAGE, type Interval, medianInterval, quantile } from './interval.ts';

/** What one variant was measured at in a round, such as `{ rate: 449, cpuMs: 2.5 }`. */
export type Metrics = Readonly<Record<string, number>>;
/** What each variant was measured at in one round. */
export type Round = Readonly<Record<string, Metrics>>;

/** What a row is to reach: a ratio of two variants, or where `to` is left out a value of one. Of several in `to` the mean counts. */
export interface Goal {
  /** What is compared, as the table shows it: "CPU, of Go grpc-gateway". */
  text: string;
  metric: string;
  of: string;
  to?: string | readonly string[];
  /** Multiplies the ratio, where the variants did different amounts of work. */
  scale?: number;
  /** Added to the other variant's value before the ratio is taken, in the metric's unit. */
  allowance?: number;
  atLeast?: number;
  atMost?: number;
  /** Judges the value below which this share of the rounds lies, as it is: no interval of a high quantile fits into so few. */
  share?: number;
  /** Not every machine can measure it. */
  optional?: boolean;
}

/** `shown` is what has no bound; `too few` what has not the rounds for an interval; `not measured` what this machine cannot. */
export type Verdict = 'met' | 'missed' | 'undecided' | 'shown' | 'too few' | 'not measured';

export interface Finding {
  goal: Goal;
  /** One a round. */
  values: number[];
  median: number;
  interval: Interval | undefined;
  verdict: Verdict;
}

/** How far from 1 the interval of the product beside itself may reach. */
export const SELF_TOLERANCE = 0.05;

/** Met is what the whole interval meets, missed what no part of it does. */
export function judge(goal: Goal, rounds: readonly Round[]): Finding {
  if (goal.optional && rounds.every(round => round[goal.of]?.[goal.metric] === undefined))
    return { goal, values: [], median: Number.NaN, interval: undefined, verdict: 'not measured' };
  const values = rounds.map(round => figureOf(goal, round));
  if (goal.share !== undefined) return judgeShare(goal, goal.share, values);
  const interval = medianInterval(values);
  return { goal, values, median: quantile(values, 0.5), interval, verdict: verdictOf(goal, interval) };
}

/** The figure counts as its own interval, given twenty rounds or more. */
function judgeShare(goal: Goal, share: number, values: number[]): Finding {
  const value = quantile(values, share);
  const exact = values.length < 1 / (1 - share) ? undefined : { median: value, low: value, high: value, coverage: 0 };
  return { goal, values, median: value, interval: undefined, verdict: verdictOf(goal, exact) };
}

/**
 * A ratio of the product to itself is met where its interval lies within ± 5 % and 1.00 is in it; there is no missing it for good. Of several that must
 * all hold 1.00, each is given an interval so wide that all of them do with `COVERAGE`: ten of the usual ones do not in every third run, by chance alone.
 */
export function judgeSelf(goal: Goal, rounds: readonly Round[], ofSoMany = 1): Finding {
  const finding = judge(goal, rounds);
  const { interval, values } = finding;
  const wide = medianInterval(values, 1 - (1 - COVERAGE) / ofSoMany);
  if (!interval || !wide) return { ...finding, verdict: 'too few' };
  const isWithin = interval.low >= 1 - SELF_TOLERANCE && interval.high <= 1 + SELF_TOLERANCE;
  const holds = isWithin && wide.low <= 1 && wide.high >= 1;
  return { ...finding, verdict: holds ? 'met' : 'undecided' };
}

function figureOf({ metric, of, to, scale = 1, allowance = 0 }: Goal, round: Round): number {
  const own = read(round, of, metric);
  if (to === undefined) return own * scale;
  const others = [to].flat().map(other => read(round, other, metric));
  const mean = others.reduce((sum, value) => sum + value, 0) / others.length;
  return (own * scale) / (mean + allowance);
}

function read(round: Round, variant: string, metric: string): number {
  const value = round[variant]?.[metric];
  if (value === undefined || !Number.isFinite(value)) throw new Error(`${variant} was not measured for ${metric}.`);
  return value;
}

function verdictOf({ atLeast, atMost }: Goal, interval: Interval | undefined): Verdict {
  if (atLeast === undefined && atMost === undefined) return 'shown';
  if (!interval) return 'too few';
  const { low, high } = interval;
  if (low >= (atLeast ?? Number.NEGATIVE_INFINITY) && high <= (atMost ?? Number.POSITIVE_INFINITY)) return 'met';
  if (high < (atLeast ?? Number.NEGATIVE_INFINITY) || low > (atMost ?? Number.POSITIVE_INFINITY)) return 'missed';
  return 'undecided';
}
