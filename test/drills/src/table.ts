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
const NUMBERS = new Set([3, 4]);

/** Formats the results for a terminal: one line a drill. */
export function tableOf(rows: Row[]): string {
  const cells = rows.map(({ name, expected, came, after, quietAfter, verdict }) => [
    ...[name, expected, came || 'nothing', seconds(after), seconds(quietAfter), verdict],
  ]);
  const all = [HEAD, ...cells];
  const widths = HEAD.map((_, at) => Math.max(...all.map(row => row[at]!.length)));
  const line = (row: string[]) =>
    row.map((cell, at) => (NUMBERS.has(at) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!))).join('  ');
  return all.map(row => line(row).trimEnd()).join('\n');
}

const seconds = (value: number | undefined): string => (value === undefined ? '-' : `${Math.round(value)} s`);
