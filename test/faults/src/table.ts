import type { CaseResult } from './run-case.ts';

/** Formats the results as a table for a terminal: one line per case, and a total. */
export function tableOf(results: CaseResult[]): string {
  const head = ['case', 'ok', 'failed', 'unknown', 'incidents', 'seconds', 'violations', 'promise'];
  const line = (result: CaseResult) => {
    const { name, ok, failed, unknown, incidents, seconds, violations, promise } = result;
    return [name, ok, failed, unknown, incidents, seconds, violations.length, promise].map(String);
  };
  const sum = (of: (result: CaseResult) => number) => String(results.reduce((total, result) => total + of(result), 0));
  const total = [
    `${results.length} cases`,
    ...[sum(it => it.ok), sum(it => it.failed), sum(it => it.unknown), sum(it => it.incidents)],
    ...[sum(it => it.seconds), sum(it => it.violations.length), ''],
  ];
  const rows = [head, ...results.map(line), total];
  const widths = head.map((_, at) => Math.max(...rows.map(row => row[at]!.length)));
  const isText = (at: number) => at === 0 || at === head.length - 1;
  return rows
    .map(row =>
      row
        .map((cell, at) => (isText(at) ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
