import { tableOf } from '@recording-request/harness/table';
import type { CaseResult } from './run-case.ts';

const HEAD = ['case', 'ok', 'failed', 'unknown', 'incidents', 'seconds', 'violations', 'promise'];

/** Formats the results for a terminal: one line per case, and a total. */
export function caseTable(results: CaseResult[]): string {
  const figures = results.map(({ ok, failed, unknown, incidents, seconds, violations }) => [
    ...[ok, failed, unknown, incidents, seconds, violations.length],
  ]);
  const sums = HEAD.slice(1, -1).map((_, at) => figures.reduce((sum, row) => sum + row[at]!, 0));
  const rows = results.map(({ name, promise }, at) => [name, ...figures[at]!, promise]);
  return tableOf([HEAD, ...rows, [`${results.length} cases`, ...sums, '']], [1, 2, 3, 4, 5, 6]);
}
