import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChartData, type ChartOptions, chart } from './chart.ts';
import { formatValue } from './units.ts';

const OPTIONS: ChartOptions = {
  title: 'Waits',
  span: { start: 0, end: 100, stepSeconds: 10 },
  unit: 's',
  decimals: undefined,
  min: undefined,
  max: undefined,
  stacked: false,
  exemplars: [],
  thresholds: [],
};
const chartOf = (points: [number, number][], options: Partial<ChartOptions> = {}, name = 'a') =>
  chart([{ name, points }], { ...OPTIONS, ...options }).text;
const linesOf = (text: string) =>
  (JSON.parse(/data-chart="([^"]*)"/.exec(text)![1]!.replaceAll('&quot;', '"')) as ChartData).lines;

test('a line has no value where points are missing, not numbers, or outside', () => {
  const [line] = linesOf(
    chartOf([
      [0, 1],
      [10, 2],
      [20, Number.NaN],
      [60, 3],
      [100, Number.POSITIVE_INFINITY],
      [110, 4],
    ]),
  );
  assert.deepEqual(line, [1, 2, null, null, null, null, 3, null, null, null, null]);
});

test('stacked lines add up', () => {
  const line = (value: number) => ({ name: `${value}`, points: [[0, value]] as [number, number][] });
  const [first, second] = linesOf(chart([line(3), line(5)], { ...OPTIONS, stacked: true }).text);
  assert.deepEqual([first![0], second![0], second![1]], [3, 8, null]);
});

test('draws the rounding rest of cancelled numbers as 0', () => {
  assert.equal(linesOf(chartOf([[50, 1.4e-20]]))[0]![5], 0);
});

test('escapes names of lines, and describes them in words', () => {
  const text = chartOf([[0, 1.5]], {}, '"><script>');
  assert.doesNotMatch(text, /<script>/);
  assert.match(text, /aria-label="Waits: &quot;&gt;&lt;script&gt; 1.5 s"/);
});

test('an exemplar links to its trace', () => {
  const traceId = 'ab'.repeat(16);
  const text = chartOf([[0, 2]], { exemplars: [{ traceId, at: 50, value: 1 }] });
  assert.match(text, new RegExp(`<a href="/zipkin/traces/${traceId}">1 s</a>`));
});

test('formats values for people', () => {
  const said = [
    [0.0042, 's'],
    [90, 's'],
    [7_200, 's'],
    [0, 's'],
    [0.9987, 'percentunit'],
    [1_572_864, 'bytes'],
    [1.25, 'reqps'],
    [12_345, 'short'],
    [Number.NaN, 's'],
  ].map(([value, unit]) => formatValue(value as number, unit as string));
  assert.deepEqual(said, ['4.2 ms', '90 s', '2 h', '0 s', '99.9 %', '1.5 MiB', '1.25/s', '12.3 k', '–']);
});
