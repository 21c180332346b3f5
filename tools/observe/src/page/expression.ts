import type { Span } from '@recording-request/harness/prometheus';
import { ALL, type Target, type Variable } from './dashboard.ts';

const POINTS = 180;
// A rate needs several scrapes. Grafana also uses four.
const SCRAPES = 4;

/** Returns the span that ends at `now` and goes back `seconds`, with about 180 points. */
export function spanOf(now: number, seconds: number): Span {
  const stepSeconds = Math.max(1, Math.ceil(seconds / POINTS));
  // Rounds to whole steps, so that lines do not jump between updates.
  const end = Math.floor(now / stepSeconds) * stepSeconds;
  return { start: end - seconds, end, stepSeconds };
}

/** Returns the query with the values of Grafana's names and the dashboard's variables. */
export function resolveNames(
  { expr }: Pick<Target, 'expr'>,
  variables: readonly Pick<Variable, 'name' | 'chosen'>[],
  { start, end, stepSeconds }: Span,
  scrapeSeconds: number,
): string {
  const range = Math.round(end - start);
  const known: Record<string, string> = {
    __range_s: String(range),
    __range: `${range}s`,
    __interval: `${stepSeconds}s`,
    __rate_interval: `${Math.max(stepSeconds + scrapeSeconds, SCRAPES * scrapeSeconds)}s`,
    ...Object.fromEntries(variables.map(({ name, chosen }) => [name, chosen === ALL ? '.*' : chosen])),
  };
  return expr.replaceAll(/\$(?:\{(\w+)(?::\w+)?\}|(\w+))/g, (whole, braced, plain) => known[braced ?? plain] ?? whole);
}

/**
 * Returns the name of a line: the target's legend or, without a legend, the labels. A zero that replaces missing
 * series is named `none`.
 */
export function legendOf(legend: string, labels: Record<string, string>): string {
  if (legend && legend !== '__auto')
    return legend.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, label) => labels[label] ?? '').trim() || 'none';
  const { __name__: name = '', ...others } = labels;
  const rest = Object.entries(others).map(([label, value]) => `${label}=${value}`);
  return [name, ...rest].filter(Boolean).join(' ') || 'value';
}
