import { type Alert, EVIDENCE, LEAST_EVIDENCE, PROMISE_WAIT } from './alert.ts';
import { OBJECTIVES, type Objective } from './objectives.ts';
import { DAY, duration, HOUR, MINUTE, type Time } from './time.ts';

/**
 * The threshold, as a multiple of the rate that uses up the budget of 30 days in 30 days. Both windows (in seconds) must
 * exceed it.
 */
interface BurnRate {
  burn: number;
  long: number;
  short: number;
  severity: Alert['severity'];
}

export const PERIOD = 30 * DAY;
/** The window of the recorded rates. Rates over longer windows are averages of these. */
export const BASE = 5 * MINUTE;

// The first two use 2 % of the budget in an hour and 5 % in six hours, the others 10 % in one day and in three days.
const BURN_RATES: readonly BurnRate[] = [
  { burn: 14.4, long: HOUR, short: 5 * MINUTE, severity: 'page' },
  { burn: 6, long: 6 * HOUR, short: 30 * MINUTE, severity: 'page' },
  { burn: 3, long: DAY, short: 2 * HOUR, severity: 'ticket' },
  { burn: 1, long: 3 * DAY, short: 6 * HOUR, severity: 'ticket' },
];

/** Every window (seconds) with a recorded ratio, the period last. */
export const WINDOWS: readonly number[] = [
  ...new Set([BASE, ...BURN_RATES.flatMap(({ long, short }) => [long, short]), PERIOD]),
].sort((a, b) => a - b);

/** Returns the name of the recorded share of broken events. The name contains the window at factor 1. */
export const errorRatio = (seconds: number): string => `recording:objective_errors:ratio_rate${duration(seconds)}`;

/** Seconds between two evaluations of the rules. */
export const EVERY = 15;
// Fewer bad events than this fire no alert, because with little traffic one event is a large share.
const LEAST_BAD = 5;

/** Returns the four alerts of each objective. */
export const burnRateAlerts = (): Alert[] =>
  OBJECTIVES.flatMap(objective => BURN_RATES.map(rate => alertOf(objective, rate)));

function alertOf(objective: Objective, { burn, long, short, severity }: BurnRate): Alert {
  const of = `{objective="${objective.name}"}`;
  const budget = Number((1 - objective.target).toFixed(6));
  const over = (seconds: number) => `${errorRatio(seconds)}${of} > ${burn} * ${budget}`;
  // Sums the existing samples. An average would treat a system that began an hour ago as if it had run for days.
  const enough = (time: Time) =>
    `sum_over_time(recording:objective_bad:rate5m${of}[${time.window(long)}]) * ${time.seconds(EVERY)} >= ${LEAST_BAD}`;
  // Requires that the promise is broken now: the late events of an outage arrive after its end, and must not wake
  // anyone.
  const now = (time: Time) => `on () (${objective.brokenNow(time.window(EVIDENCE, LEAST_EVIDENCE))})`;
  return {
    name: objective.alert,
    about: 'promise',
    severity,
    labels: { objective: objective.name, recording_step: objective.name, burn: String(burn) },
    forSeconds: PROMISE_WAIT,
    expr: time => [over(long), over(short), enough(time), ...(severity === 'page' ? [now(time)] : [])].join('\nand '),
    summary: `${objective.title}: {{ $value | humanizePercentage }} failed in ${duration(long)}`,
    description: `${objective.promise} At this rate, the budget of 30 days lasts ${duration(Math.round(PERIOD / burn / HOUR) * HOUR)}.`,
  };
}
