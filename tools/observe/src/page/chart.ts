import type { Exemplar, Span } from '@recording-request/harness/prometheus';
import { type Html, html } from '@recording-request/web-shared/html';
import { formatValue } from './units.ts';

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
  /** The values at which a horizontal line is drawn. */
  thresholds: number[];
}

/** The data for the browser. */
export interface ChartData extends Pick<ChartOptions, 'unit' | 'min' | 'max' | 'thresholds'> {
  /** Seconds since 1970, a step apart. */
  times: number[];
  /** The values of each line at these times; null if it has none. */
  lines: (number | null)[][];
}

/** The number of line styles with distinct colours and dashes; further lines repeat them. */
export const KINDS = 8;
// The difference of two equal sums has rounding errors. If the axis were scaled to these errors, they would look like
// large changes.
const NOTHING = 1e-12;

/** Returns the element of a chart with its data, a description in words, and the links to its exemplars' traces. */
export function chart(lines: Line[], options: ChartOptions): Html {
  const { title, span, unit, decimals, min, max, thresholds, exemplars } = options;
  const { start, end, stepSeconds } = span;
  const times = Array.from(
    { length: Math.floor((end - start) / stepSeconds) + 1 },
    (_, at) => start + at * stepSeconds,
  );
  const values = lines.map(({ points }) => valuesOf(points, span, times.length));
  const data: ChartData = { ...{ unit, min, max, thresholds, times }, lines: options.stacked ? stack(values) : values };
  const link = ({ traceId, value }: Exemplar) =>
    html`<a href="/zipkin/traces/${traceId}">${formatValue(value, unit)}</a> `;
  return html`<div class="chart" role="img" aria-label="${words(title, lines, unit, decimals)}" data-chart="${JSON.stringify(data)}"></div>
${exemplars.length > 0 ? html`<p class="queries">Traces of ${exemplars.map(link)}</p>` : null}`;
}

function valuesOf(points: [number, number][], { start, stepSeconds }: Span, length: number): (number | null)[] {
  const values: (number | null)[] = new Array(length).fill(null);
  for (const [at, value] of points) {
    const step = Math.round((at - start) / stepSeconds);
    if (step in values && Number.isFinite(value)) values[step] = Math.abs(value) < NOTHING ? 0 : value;
  }
  return values;
}

/** Stacks each line on the lines before it. */
function stack(lines: (number | null)[][]): (number | null)[][] {
  const sums: number[] = [];
  return lines.map(values =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return value === null ? null : sums[at];
    }),
  );
}

function words(title: string, lines: Line[], unit: string, decimals: number | undefined): string {
  const last = lines
    .slice(0, KINDS)
    .map(({ name, points }) => `${name} ${formatValue(points.at(-1)?.[1] ?? Number.NaN, unit, decimals)}`);
  return `${title}: ${last.join(', ')}${lines.length > KINDS ? `, and ${lines.length - KINDS} more` : ''}`;
}
