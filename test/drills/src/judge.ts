import type { Series } from '@recording-request/harness/prometheus';
import type { Expectation, Sent } from './alert.ts';
import type { Step } from './step-query.ts';

/** The result of a drill. */
export interface Verdict {
  /** The seconds from the fault to the notification of the expected alert; undefined if there was none. */
  firedAfter: number | undefined;
  /** True if the fault lasted when the expected alert was sent. */
  isDuring: boolean;
  /** The names of all other pages, each once. */
  others: string[];
  /** Sentences about failures; none when the drill passed. */
  misses: string[];
}

/** Returns whether a notification is about the alert that the fault must fire. */
export const isExpected = ({ alert, severity, labels }: Sent, expects: Expectation): boolean =>
  alert === expects.alert &&
  severity === expects.severity &&
  Object.entries(expects.labels ?? {}).every(([name, value]) => value.test(labels[name] ?? ''));

/** Judges the notifications from the start of a fault until all alerts have stopped firing. */
export function judgeDrill(
  expects: Expectation,
  { sent, began, ended, quietAt }: { sent: Sent[]; began: number; ended: number; quietAt: number | undefined },
): Verdict {
  const own = sent.find(each => isExpected(each, expects));
  const isDuring = own !== undefined && own.at <= ended;
  const pages = sent.filter(each => each.severity === 'page' && !isExpected(each, expects));
  const others = [...new Set(pages.map(named))];
  return {
    firedAfter: own && (own.at - began) / 1_000,
    ...{ isDuring, others },
    misses: [
      ...(own && !isDuring ? [`the ${expects.severity} ${expects.alert} fired after the fault had ended`] : []),
      ...(own ? [] : [`the ${expects.severity} ${wanted(expects)} did not fire${nearly(expects, sent)}`]),
      ...others.map(other => `another page fired: ${other}`),
      ...(quietAt === undefined ? ['alerts kept firing long after the fault had ended'] : []),
    ],
  };
}

const SHOWN = [
  ...['job', 'instance', 'recording_peer', 'messaging_consumer_group_name', 'step', 'severity'],
  ...['recording_step', 'recording_project_id', 'process_executable_name'],
];

/** Returns an alert's name with the labels that identify its subject. */
function named({ alert, labels }: Pick<Sent, 'alert' | 'labels'>): string {
  const about = Object.entries(labels).filter(([name]) => SHOWN.includes(name) && name !== 'severity');
  return about.length > 0 ? `${alert} (${about.map(([name, value]) => `${name} ${value}`).join(', ')})` : alert;
}

const wanted = ({ alert, labels = {} }: Expectation): string =>
  named({ alert, labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)])) });

function nearly({ alert }: Expectation, sent: Sent[]): string {
  const near = sent.filter(each => each.alert === alert);
  return near.length > 0 ? `, but fired as ${near.map(each => `${each.severity} ${named(each)}`).join('; ')}` : '';
}

/** The series of a query's result that identifies a part: the highest, the lowest, or the missing one. */
export type Sign = 'highest' | 'lowest' | 'absent';

/** Returns the value of the label in the highest or the lowest series; undefined without a series. */
export function firstOf(series: Series[], label: string, by: 'highest' | 'lowest'): string | undefined {
  const now = ({ points }: Series) => points[0]![1];
  const rising = series.toSorted((a, b) => now(a) - now(b));
  return rising.at(by === 'highest' ? -1 : 0)?.labels[label];
}

/** Returns whether other values of the label exist, but not this one. */
export function isAbsent(series: Series[], label: string, value: string): boolean {
  const values = series.map(({ labels }) => labels[label]);
  return values.length > 0 && !values.includes(value);
}

/** A result of the runbook's query: the increase of each step's cost in seconds. */
export type Costs = Partial<Record<Step, number>>;

/** Returns the step whose cost rose most; undefined if none rose. */
export function slowest(costs: Costs): Step | undefined {
  const [first] = Object.entries(costs)
    .filter(([, seconds]) => seconds > 0)
    .sort(([, a], [, b]) => b - a);
  return first?.[0] as Step | undefined;
}

/** The number of consecutive results that must name the step. A single result could name it by chance. */
const IN_A_ROW = 4;

/** Returns whether the last results all name the step. */
export const isNamed = (step: Step, answers: Costs[]): boolean =>
  answers.length >= IN_A_ROW && answers.slice(-IN_A_ROW).every(costs => slowest(costs) === step);
