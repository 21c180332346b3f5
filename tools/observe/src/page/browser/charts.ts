import uPlot from 'uplot';
import { type ChartData, KINDS } from '../chart.ts';
import { formatValue } from '../units.ts';

const HEIGHT = 200;
const AXIS_WIDTH = 62;
const WIDEN = 1.05;
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** Draws every chart below `root`, with the colours and dashes of the style sheet. */
export function drawCharts(root: ParentNode): void {
  for (const place of root.querySelectorAll<HTMLElement>('.chart[data-chart]')) {
    const data = JSON.parse(place.dataset.chart!) as ChartData;
    const chart = new uPlot(optionsOf(place, data), [data.times, ...data.lines, ...acrossOf(data)], place);
    const sized = new ResizeObserver(() => {
      // An update has removed this chart from the page.
      if (!place.isConnected) sized.disconnect();
      else chart.setSize({ width: place.clientWidth, height: HEIGHT });
    });
    sized.observe(place);
  }
}

/** Draws a horizontal line at each threshold. */
const acrossOf = ({ thresholds, times }: ChartData) => thresholds.map(value => times.map(() => value));

function optionsOf(place: HTMLElement, { unit, min, max, lines, thresholds }: ChartData): uPlot.Options {
  const style = getComputedStyle(place);
  const ink = {
    stroke: style.getPropertyValue('--soft'),
    grid: { stroke: style.getPropertyValue('--grid'), width: 1 },
  };
  return {
    ...{ width: place.clientWidth, height: HEIGHT, legend: { show: false }, cursor: { show: false } },
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
      { ...ink, values: (_, ticks) => ticks.map(at => CLOCK.format(1_000 * at)) },
      { ...ink, size: AXIS_WIDTH, values: (_, ticks) => ticks.map(value => formatValue(value, unit)) },
    ],
    series: [
      {},
      ...lines.map((_, at) => lineOf(place, `k${at % KINDS}`)),
      // Thresholds do not change the range of the axis.
      ...thresholds.map(() => ({ ...lineOf(place, 'k4'), auto: false })),
    ],
  };
}

/** Returns the style of a line's class. */
function lineOf(place: HTMLElement, name: string): uPlot.Series {
  const probe = place.appendChild(document.createElement('span'));
  probe.className = name;
  const { stroke, strokeDasharray } = getComputedStyle(probe);
  probe.remove();
  const dash = strokeDasharray === 'none' ? [] : strokeDasharray.split(/,\s*/).map(Number.parseFloat);
  return { stroke, dash, width: 2 };
}
