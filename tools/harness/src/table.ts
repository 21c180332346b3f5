const GAP = '  ';

/** Formats rows for a terminal. The first row is the head. `numbers` are the right-aligned columns. */
export function tableOf(rows: readonly (readonly (string | number)[])[], numbers: readonly number[] = []): string {
  const cells = rows.map(row => row.map(String));
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map(row => row[at]!.length)));
  const align = (cell: string, at: number) =>
    numbers.includes(at) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!);
  return cells.map(row => row.map(align).join(GAP).trimEnd()).join('\n');
}
