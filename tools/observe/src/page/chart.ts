import type { Exemplar, Span } from '@recording-request/harness/prometheus';
import { type Html, html, raw } from '@recording-request/web-shared/html';
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
  /** Where the axis begins and ends, at most. */
  min: number | undefined;
  max: number | undefined;
  stacked: boolean;
  /** Pixels of the drawing, which is scaled to its place. */
  width: number;
  exemplars: Exemplar[];
  /** Values at which a line is drawn across. */
  thresholds: number[];
}

/** How many kinds of lines can be told apart by colour and dashes; the next begins again. */
export const KINDS = 8;
const HEIGHT = 200;
const LEFT = 58;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 22;
const TICKS = 4;
// Two points that are further apart have a gap between them.
const GAP_STEPS = 2.5;
const STEPS = [1, 2, 2.5, 5, 10];
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** Draws lines over time as SVG; what is drawn is told in words too. */
export function chart(lines: Line[], options: ChartOptions): Html {
  const { title, span, unit, decimals, width } = options;
  const drawn = options.stacked ? stack(lines) : lines;
  const [low, high] = bounds(drawn, options);
  const x = (at: number) => LEFT + ((at - span.start) / (span.end - span.start)) * (width - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const inside = (value: number) => Math.min(high, Math.max(low, value));
  const ticks = ticksOf(low, high);
  return html`<svg class="chart" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${words(title, lines, unit, decimals)}">
${ticks.map(
  value => html`<line class="grid" x1="${LEFT}" x2="${width - RIGHT}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}"/>
<text class="tick" x="${LEFT - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${formatValue(value, unit)}</text>`,
)}
${timesOf(span, width).map(
  at =>
    html`<text class="tick" x="${x(at).toFixed(1)}" y="${HEIGHT - 6}" text-anchor="middle">${CLOCK.format(at * 1000)}</text>`,
)}
${options.thresholds
  .filter(value => value > low && value < high)
  .map(
    value =>
      html`<line class="threshold" x1="${LEFT}" x2="${width - RIGHT}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}"/>`,
  )}
${drawn.map(
  ({ name, points }, index) =>
    html`<path class="line k${index % KINDS}" d="${raw(pathOf(points, span, x, value => y(inside(value))))}"><title>${name}</title></path>`,
)}
${options.exemplars
  .filter(({ at, value }) => at >= span.start && at <= span.end && value >= low && value <= high)
  .map(
    ({ traceId, at, value }) =>
      html`<a href="/zipkin/traces/${traceId}" aria-label="Trace of ${formatValue(value, unit)}"><circle class="exemplar" cx="${x(at).toFixed(1)}" cy="${y(value).toFixed(1)}" r="4"><title>${formatValue(value, unit)}: its trace</title></circle></a>`,
  )}
</svg>`;
}

/** Each line on top of those before it. */
function stack(lines: Line[]): Line[] {
  const sums = new Map<number, number>();
  return lines.map(({ name, points }) => ({
    name,
    points: points.map(([at, value]) => {
      const sum = (sums.get(at) ?? 0) + (Number.isFinite(value) ? value : 0);
      sums.set(at, sum);
      return [at, sum];
    }),
  }));
}

// A difference of two sums that should be nothing is some last digits of them: an axis of its own would make a mountain of it.
const NOTHING = 1e-12;

function bounds(lines: Line[], { min, max }: ChartOptions): [number, number] {
  let low = min ?? 0;
  let high = max ?? Number.NEGATIVE_INFINITY;
  for (const { points } of lines)
    for (const [, value] of points) {
      if (!Number.isFinite(value)) continue;
      if (min === undefined) low = Math.min(low, value);
      if (max === undefined) high = Math.max(high, value);
    }
  if (!(high - low > NOTHING) || !Number.isFinite(high)) high = low + 1;
  const step = stepOf(high - low);
  return [min ?? Math.floor(low / step) * step, max ?? Math.ceil(high / step) * step];
}

/** The round number nearest to a quarter of the height. */
function stepOf(height: number): number {
  const rough = height / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * (STEPS.find(step => step * power >= rough) ?? 10);
}

function ticksOf(low: number, high: number): number[] {
  const step = stepOf(high - low);
  const ticks: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step) ticks.push(value);
  return ticks.slice(0, TICKS * 3);
}

const ROUND_SECONDS = [60, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400];
const PIXELS_FOR_TIME = 80;

function timesOf({ start, end }: Span, width: number): number[] {
  const most = Math.max(2, Math.floor(width / PIXELS_FOR_TIME));
  const step = ROUND_SECONDS.find(seconds => (end - start) / seconds <= most) ?? ROUND_SECONDS.at(-1)!;
  const times: number[] = [];
  for (let at = Math.ceil(start / step) * step; at <= end; at += step) times.push(at);
  return times.filter(at => at > start + step / 8 && at < end - step / 8);
}

function pathOf(
  points: [number, number][],
  { stepSeconds }: Span,
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  let last: number | undefined;
  let path = '';
  for (const [at, value] of points) {
    if (!Number.isFinite(value)) continue;
    const to = `${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    // A point of its own is drawn as a dot, by a line of no length with round ends.
    path += last !== undefined && at - last <= stepSeconds * GAP_STEPS ? `L${to}` : `M${to}h0`;
    last = at;
  }
  return path;
}

function words(title: string, lines: Line[], unit: string, decimals: number | undefined): string {
  const last = lines
    .slice(0, KINDS)
    .map(({ name, points }) => `${name} ${formatValue(points.at(-1)?.[1] ?? Number.NaN, unit, decimals)}`);
  return `${title}: ${last.join(', ')}${lines.length > KINDS ? `, and ${lines.length - KINDS} more` : ''}`;
}
