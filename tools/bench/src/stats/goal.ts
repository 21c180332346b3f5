import { COVERAGE, type Interval, medianInterval, quantile } from './interval.ts';

/** The figures of one variant in a round, such as `{ rate: 449, cpuMs: 2.5 }`. */
export type Metrics = Readonly<Record<string, number>>;
export type Round = Readonly<Record<string, Metrics>>;

/**
 * The goal of a row: the ratio of two variants, or the value of one variant if `to` is missing. Several variants in `to` are
 * averaged.
 */
export interface Goal {
  /** The comparison as the table shows it, such as "CPU, of Go grpc-gateway". */
  text: string;
  metric: string;
  of: string;
  to?: string | readonly string[];
  /** Multiplies the ratio, for variants that did different amounts of work. */
  scale?: number;
  atLeast?: number;
  atMost?: number;
  /** True if some machines cannot measure this metric. */
  optional?: boolean;
}

/** `too few`: there are too few rounds for an interval. `not measured`: this machine cannot measure the metric. */
export type Verdict = 'met' | 'missed' | 'undecided' | 'too few' | 'not measured';

export interface Finding {
  goal: Goal;
  /** One value per round. */
  values: number[];
  median: number;
  interval: Interval | undefined;
  verdict: Verdict;
}

/** The maximum distance from 1 for the interval of the product compared with itself. */
export const SELF_TOLERANCE = 0.05;

/** Judges a goal: `met` when every value in the interval meets the goal, `missed` when no value does. */
export function judge(goal: Goal, rounds: readonly Round[]): Finding {
  if (goal.optional && rounds.every(round => round[goal.of]?.[goal.metric] === undefined))
    return { goal, values: [], median: Number.NaN, interval: undefined, verdict: 'not measured' };
  const values = rounds.map(round => figureOf(goal, round));
  const interval = medianInterval(values);
  return { goal, values, median: quantile(values, 0.5), interval, verdict: verdictOf(goal, interval) };
}

/**
 * Judges a ratio of the product to itself: `met` when its interval lies within ± 5 % and contains 1.00, otherwise
 * `undecided`. If the intervals of `ofSoMany` ratios must all contain 1.00, each gets a wider interval, so that all of
 * them contain 1.00 with probability `COVERAGE`. Otherwise, with ten intervals, every third run would fail by chance.
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

function figureOf({ metric, of, to, scale = 1 }: Goal, round: Round): number {
  const own = read(round, of, metric);
  if (to === undefined) return own * scale;
  const others = [to].flat().map(other => read(round, other, metric));
  return (own * scale * others.length) / others.reduce((sum, value) => sum + value, 0);
}

function read(round: Round, variant: string, metric: string): number {
  const value = round[variant]?.[metric];
  if (value === undefined || !Number.isFinite(value)) throw new Error(`${variant} was not measured for ${metric}.`);
  return value;
}

function verdictOf({ atLeast, atMost }: Goal, interval: Interval | undefined): Verdict {
  if (!interval) return 'too few';
  const { low, high } = interval;
  if (low >= (atLeast ?? Number.NEGATIVE_INFINITY) && high <= (atMost ?? Number.POSITIVE_INFINITY)) return 'met';
  if (high < (atLeast ?? Number.NEGATIVE_INFINITY) || low > (atMost ?? Number.POSITIVE_INFINITY)) return 'missed';
  return 'undecided';
}
