const GAP = '  ';

/** A time to the second, as RFC 3339 in UTC; "-" where there is none. */
export const timeOf = (date: Date | undefined): string =>
  date ? `${date.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z` : '-';

/** A text of somebody else's on one line: it says nothing to the operator's terminal. */
export const plain = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

/** Rows under the names of their columns; `none` where there are no rows. */
export function table(columns: readonly string[], rows: readonly string[][], none: string): string[] {
  if (rows.length === 0) return [none];
  const all = [columns, ...rows.map(row => row.map(cell => plain(cell) || '-'))];
  // Not spread into one call: there may be more rows than a call takes arguments.
  const widths = columns.map((_, at) => all.reduce((widest, row) => Math.max(widest, row[at]!.length), 0));
  return all.map(row =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join(GAP)
      .trimEnd(),
  );
}

/** One thing: a line for each of its properties. */
export function properties(rows: ReadonlyArray<readonly [name: string, value: string]>): string[] {
  const width = rows.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return rows.map(([name, value]) => `${name.padEnd(width)}${GAP}${plain(value) || '-'}`);
}
