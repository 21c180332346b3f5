import type { Exemplar, Span } from '@recording-request/harness/prometheus';
import { type Html, html } from '@recording-request/web-shared/html';
import { formatValue, withoutRest } from './units.ts';

export interface Line {
  name: string;
  points: [number, number][];
}

export interface ChartOptions {
  title: string;
  span: Span;
  unit: string;
  decimals: number | undefined;
  /** The limits of the axis. */
  min: number | undefined;
  max: number | undefined;
  stacked: boolean;
  exemplars: Exemplar[];
  /** The values that get a horizontal line. */
  thresholds: number[];
}

type Value = number | null;

/** The data for the browser. */
export interface ChartData extends Pick<ChartOptions, 'unit' | 'decimals' | 'min' | 'max' | 'stacked' | 'thresholds'> {
  /** Seconds since 1970, a step apart. */
  times: number[];
  /** The lines with their values at these times; null where they have none. */
  lines: { name: string; values: Value[] }[];
}

// Steps after which a line without new points has ended.
const ENDED_AFTER = 2;
const MAX_WORDS = 12;

/** Returns the element of a chart with its data, a description in words, and the links to its exemplars' traces. */
export function chart(drawn: Line[], options: ChartOptions): Html {
  const { title, span, unit, decimals, min, max, stacked, thresholds, exemplars } = options;
  const { start, end, stepSeconds } = span;
  const times = Array.from(
    { length: Math.floor((end - start) / stepSeconds) + 1 },
    (_, at) => start + at * stepSeconds,
  );
  const lines = drawn.map(({ name, points }) => ({ name, values: valuesOf(points, span, times.length) }));
  const data: ChartData = { unit, decimals, min, max, stacked, thresholds, times, lines };
  const link = ({ traceId, value }: Exemplar) =>
    html`<a href="/zipkin/traces/${traceId}">${formatValue(value, unit)}</a> `;
  return html`<div class="chart" role="group" aria-label="${words(title, data)}" data-chart="${JSON.stringify(data)}"></div>
${exemplars.length > 0 ? html`<p class="queries">Traces, the slowest first: ${exemplars.toSorted((a, b) => b.value - a.value).map(link)}</p>` : null}`;
}

function valuesOf(points: [number, number][], { start, stepSeconds }: Span, length: number): Value[] {
  const values: Value[] = new Array(length).fill(null);
  for (const [at, value] of points) {
    const step = Math.round((at - start) / stepSeconds);
    if (step in values && Number.isFinite(value)) values[step] = withoutRest(value);
  }
  return values;
}

/** Returns the newest value of a line, or null if the line has ended. */
export const currentOf = (values: readonly Value[]): Value =>
  values.slice(-1 - ENDED_AFTER).findLast(value => value !== null) ?? null;

/** Stacks each line on the lines before it. */
export function stack(lines: readonly Value[][]): Value[][] {
  const sums: number[] = [];
  return lines.map(values =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return value === null ? null : sums[at];
    }),
  );
}

function words(title: string, { lines, unit, decimals }: ChartData): string {
  const current = lines
    .slice(0, MAX_WORDS)
    .map(({ name, values }) => `${name} ${formatValue(currentOf(values) ?? Number.NaN, unit, decimals)}`);
  return `${title}: ${current.join(', ')}${lines.length > MAX_WORDS ? `, and ${lines.length - MAX_WORDS} more` : ''}`;
}
