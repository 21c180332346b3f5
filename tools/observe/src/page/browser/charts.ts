import uPlot from 'uplot';
import { type ChartData, currentOf, stack } from '../chart.ts';
import { styleOf } from '../series.ts';
import { formatTicks, formatValue } from '../units.ts';

const HEIGHT = 200;
const CHARACTER_WIDTH = 7;
const AXIS_GAP = 24;
const WIDEN = 1.05;
/** The pixels of the dashes and gaps of each pattern. */
const PATTERNS = [[], [7, 4], [2, 3]];
const LIMIT = [8, 3, 2, 3];

/** The look of a line. */
interface Look {
  stroke: string;
  fill: string;
  dash: number[];
}

const clock = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', {
    ...options,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  });
const TICK = clock({});
const MOMENT = clock({ second: '2-digit' });

/** Draws every chart below `root`, in the colours of the style sheet. */
export function drawCharts(root: ParentNode): void {
  for (const place of root.querySelectorAll<HTMLElement>('.chart[data-chart]')) {
    const data = JSON.parse(place.dataset.chart!) as ChartData;
    const values = data.lines.map(line => line.values);
    const across = data.thresholds.map(value => data.times.map(() => value));
    const chart = new uPlot(
      optionsOf(place, data),
      [data.times, ...(data.stacked ? stack(values) : values), ...across],
      place,
    );
    const sized = new ResizeObserver(() => {
      if (place.isConnected) return chart.setSize({ width: place.clientWidth, height: HEIGHT });
      // An update has removed this chart from the page.
      sized.disconnect();
      chart.destroy();
    });
    sized.observe(place);
  }
}

function optionsOf(
  place: HTMLElement,
  { unit, decimals, min, max, stacked, lines, thresholds }: ChartData,
): uPlot.Options {
  const style = getComputedStyle(place);
  const property = (name: string) => style.getPropertyValue(name);
  const ink = { stroke: property('--soft'), grid: { stroke: property('--grid'), width: 1 } };
  const lookOf = ({ name }: { name: string }): Look => {
    const { hue, dash } = styleOf(name);
    const colour = (alpha: number) => `oklch(${property(hue % 60 === 0 ? '--even' : '--odd')} ${hue} / ${alpha})`;
    return { stroke: colour(1), fill: colour(0.25), dash: PATTERNS[dash]! };
  };
  const limit: Look = { stroke: property('--limit'), fill: '', dash: LIMIT };
  const looks = [...lines.map(lookOf), ...thresholds.map(() => limit)];
  return {
    ...{ width: place.clientWidth, height: HEIGHT },
    tzDate: seconds => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    cursor: { y: false, drag: { x: false }, points: { size: 6 }, sync: { key: 'time' } },
    legend: { markers: { width: 0, fill: (_, at) => markerOf(looks[at - 1]) } },
    scales: {
      y: {
        range(_, low, high) {
          const from = min ?? Math.min(0, low ?? 0);
          const to = max ?? Math.max(0, high ?? 0) * WIDEN;
          return [from, to > from ? to : from + 1];
        },
      },
    },
    axes: [
      { ...ink, values: (_, ticks) => ticks.map(at => TICK.format(1_000 * at)) },
      {
        ...ink,
        size: (_, labels) => AXIS_GAP + CHARACTER_WIDTH * Math.max(5, ...(labels ?? []).map(({ length }) => length)),
        values: (_, ticks) => formatTicks(ticks, unit),
      },
    ],
    // Fills the area between a stacked line and the line below it.
    bands: stacked ? lines.slice(1).map((_, at) => ({ series: [at + 2, at + 1] })) : [],
    series: [
      { label: 'Time (UTC)', value: (_, at) => (at === null ? 'now' : MOMENT.format(1_000 * at)) },
      ...lines.map(({ name, values }, index): uPlot.Series => {
        const { stroke, fill, dash } = looks[index]!;
        return {
          ...{ label: name, stroke, width: 2, dash },
          ...(stacked && { fill }),
          value: (_, __, ___, at) =>
            formatValue((at === null ? currentOf(values) : values[at]) ?? Number.NaN, unit, decimals),
        };
      }),
      // Thresholds do not change the range of the axis.
      ...thresholds.map(
        (value): uPlot.Series => ({
          ...{ label: 'limit', stroke: limit.stroke, width: 1, dash: LIMIT, auto: false, points: { show: false } },
          value: () => formatValue(value, unit, decimals),
        }),
      ),
    ],
  };
}

/** Returns a CSS background that shows a piece of the line. */
function markerOf(look: Look | undefined): string {
  if (!look) return 'none';
  let end = 0;
  const parts = look.dash.map((length, index) => {
    const start = end;
    end += length;
    return `${index % 2 === 0 ? look.stroke : 'transparent'} ${start}px ${end}px`;
  });
  return parts.length > 0 ? `repeating-linear-gradient(90deg, ${parts.join(', ')})` : look.stroke;
}
