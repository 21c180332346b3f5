import { tableOf } from '@recording-request/harness/table';

/** A drill's line of the table. */
export interface Row {
  name: string;
  /** The alert with its severity, or the step. */
  expected: string;
  /** The seconds until the alert fired, or until the step was named. */
  after: number | undefined;
  /** True if the alert fired while the fault lasted. */
  isDuring: boolean;
  /** The part that the runbook's query named; empty without a query. */
  named: string;
  /** The other pages that fired. */
  others: string[];
  /** Seconds from the end of the fault until no alert fired. */
  quietAfter: number | undefined;
  /** `ok`, `missed`, or `not tried`. */
  verdict: string;
}

const HEAD = ['drill', 'expected', 'after', 'in time', 'the query named', 'other pages', 'quiet', 'verdict'];

/** Formats the results for a terminal, one line per drill. */
export const drillTable = (rows: Row[]): string =>
  tableOf(
    [
      HEAD,
      ...rows.map(({ name, expected, after, isDuring, named, others, quietAfter, verdict }) => [
        ...[name, expected, seconds(after), isDuring ? 'yes' : 'no', named || '-', others.join(', ') || 'none'],
        ...[seconds(quietAfter), verdict],
      ]),
    ],
    [2, 6],
  );

const seconds = (value: number | undefined): string => (value === undefined ? '-' : `${Math.round(value)} s`);
