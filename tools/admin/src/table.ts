const GAP = '  ';

/** Returns a time to the second, as RFC 3339 in UTC; "-" without one. */
export const timeOf = (date: Date | undefined): string =>
  date ? `${date.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z` : '-';

/** Returns untrusted text on one line, without control characters for the operator's terminal. */
export const plain = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

/** Returns rows under the names of their columns, or `none` if there are no rows. */
export function table(columns: readonly string[], rows: readonly string[][], none: string): string[] {
  if (rows.length === 0) return [none];
  const all = [columns, ...rows.map(row => row.map(cell => plain(cell) || '-'))];
  // Does not spread the rows into `Math.max`, because there may be more rows than a call accepts arguments.
  const widths = columns.map((_, at) => all.reduce((widest, row) => Math.max(widest, row[at]!.length), 0));
  return all.map(row =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join(GAP)
      .trimEnd(),
  );
}

/** Returns a line for each property of a single thing. */
export function properties(rows: ReadonlyArray<readonly [name: string, value: string]>): string[] {
  const width = rows.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return rows.map(([name, value]) => `${name.padEnd(width)}${GAP}${plain(value) || '-'}`);
}
