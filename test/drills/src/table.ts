import { tableOf } from '@recording-request/harness/table';

/** What one line of the table shows of a drill. */
export interface Row {
  name: string;
  /** The alert with its severity, or the step. */
  expected: string;
  /** What came, or was named. */
  came: string;
  /** Seconds until then. */
  after: number | undefined;
  /** Seconds from the end of the fault until nothing fired. */
  quietAfter: number | undefined;
  /** `ok`, `missed`, or `not tried`. */
  verdict: string;
}

const HEAD = ['drill', 'expected', 'came', 'after', 'quiet', 'verdict'];

/** Formats the results for a terminal: one line a drill. */
export const drillTable = (rows: Row[]): string =>
  tableOf(
    [
      HEAD,
      ...rows.map(({ name, expected, came, after, quietAfter, verdict }) => [
        ...[name, expected, came || 'nothing', seconds(after), seconds(quietAfter), verdict],
      ]),
    ],
    [3, 4],
  );

const seconds = (value: number | undefined): string => (value === undefined ? '-' : `${Math.round(value)} s`);
