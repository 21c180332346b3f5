import { type Alert, PROMISE_WAIT } from './alert.ts';
import { OBJECTIVES, type Objective } from './objectives.ts';
import { DAY, duration, HOUR, MINUTE, type Time } from './time.ts';

/** So many times the rate at which the budget of 30 days lasts for 30 days, seen in both windows (seconds). */
interface BurnRate {
  burn: number;
  long: number;
  short: number;
  severity: Alert['severity'];
}

export const PERIOD = 30 * DAY;
/** The window over which the rates are taken that all longer ones are averages of. */
export const BASE = 5 * MINUTE;

// The first two spend 2 % of the budget in an hour and 5 % in six, the others 10 % in one day and in three. The short window ends
// the alert soon after its cause has ended.
const BURN_RATES: readonly BurnRate[] = [
  { burn: 14.4, long: HOUR, short: 5 * MINUTE, severity: 'page' },
  { burn: 6, long: 6 * HOUR, short: 30 * MINUTE, severity: 'page' },
  { burn: 3, long: DAY, short: 2 * HOUR, severity: 'ticket' },
  { burn: 1, long: 3 * DAY, short: 6 * HOUR, severity: 'ticket' },
];

/** Every window (seconds) of which a ratio is recorded, the period last. */
export const WINDOWS: readonly number[] = [
  ...new Set([BASE, ...BURN_RATES.flatMap(({ long, short }) => [long, short]), PERIOD]),
].sort((a, b) => a - b);

/** The recorded share of events that broke a promise; a name says the window that it has without a factor. */
export const errorRatio = (seconds: number): string => `recording:objective_errors:ratio_rate${duration(seconds)}`;

/** Seconds between two evaluations of the rules. */
export const EVERY = 30;
// Where little happens one event is a large share: nobody is woken for fewer than these.
const LEAST_BAD = 5;

/** Returns the four alerts of each objective. */
export const burnRateAlerts = (): Alert[] =>
  OBJECTIVES.flatMap(objective => BURN_RATES.map(rate => alertOf(objective, rate)));

function alertOf(objective: Objective, { burn, long, short, severity }: BurnRate): Alert {
  const of = `{objective="${objective.name}"}`;
  const budget = Number((1 - objective.target).toFixed(6));
  const over = (seconds: number) => `${errorRatio(seconds)}${of} > ${burn} * ${budget}`;
  // A sum of what there is: an average of a system that began an hour ago would count as if it had gone on for days.
  const enough = (time: Time) =>
    `sum_over_time(recording:objective_bad:rate5m${of}[${time.window(long)}]) * ${time.seconds(EVERY)} >= ${LEAST_BAD}`;
  return {
    name: objective.alert,
    about: 'promise',
    severity,
    labels: { objective: objective.name, burn: String(burn) },
    forSeconds: PROMISE_WAIT,
    expr: time => [over(long), over(short), enough(time)].join('\nand '),
    summary: `${objective.title}: {{ $value | humanizePercentage }} do not, in ${duration(long)}`,
    description: `${objective.promise} At this rate the budget of 30 days lasts ${duration(Math.round(PERIOD / burn / HOUR) * HOUR)}.`,
  };
}
