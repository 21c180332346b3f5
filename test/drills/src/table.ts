import { tableOf } from '@recording-request/harness/table';

/** A drill's line of the table. */
export interface Row {
  name: string;
  /** The alert with its severity, or the step. */
  expected: string;
  /** The alerts that fired, or the step that was named. */
  actual: string;
  /** The seconds until the alert fired, or until the step was named. */
  after: number | undefined;
  /** Seconds from the end of the fault until no alert fired. */
  quietAfter: number | undefined;
  /** `ok`, `missed`, or `not tried`. */
  verdict: string;
}

const HEAD = ['drill', 'expected', 'actual', 'after', 'quiet', 'verdict'];

/** Formats the results for a terminal, one line per drill. */
export const drillTable = (rows: Row[]): string =>
  tableOf(
    [
      HEAD,
      ...rows.map(({ name, expected, actual, after, quietAfter, verdict }) => [
        ...[name, expected, actual || 'nothing', seconds(after), seconds(quietAfter), verdict],
      ]),
    ],
    [3, 4],
  );

const seconds = (value: number | undefined): string => (value === undefined ? '-' : `${Math.round(value)} s`);
