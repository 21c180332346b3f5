import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChartData, type ChartOptions, chart, currentOf, stack } from './chart.ts';

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
const valuesOf = (text: string) =>
  (JSON.parse(/data-chart="([^"]*)"/.exec(text)![1]!.replaceAll('&quot;', '"')) as ChartData).lines[0]!.values;

test('a line has no value where points are missing, not numbers, or outside', () => {
  const values = valuesOf(
    chartOf([
      [0, 1],
      [10, 2],
      [20, Number.NaN],
      [60, 3],
      [100, Number.POSITIVE_INFINITY],
      [110, 4],
    ]),
  );
  assert.deepEqual(values, [1, 2, null, null, null, null, 3, null, null, null, null]);
});

test('a line that ended has no current value', () => {
  assert.equal(currentOf([1, 2, null, null]), 2);
  assert.equal(currentOf([1, 2, null, null, null]), null);
  assert.equal(currentOf([null, 0]), 0);
  assert.match(chartOf([[70, 1.5]]), /aria-label="Waits: a –"/);
  assert.match(chartOf([[80, 1.5]]), /aria-label="Waits: a 1.5 s"/);
});

test('stacked lines add up', () => {
  assert.deepEqual(
    stack([
      [3, null],
      [5, null],
      [null, 1],
    ]),
    [
      [3, null],
      [8, null],
      [null, 1],
    ],
  );
});

test('draws the rounding rest of cancelled numbers as 0', () => {
  assert.equal(valuesOf(chartOf([[50, -7e-12]]))[5], 0);
});

test('escapes names of lines, and describes them in words', () => {
  const text = chartOf([[100, 1.5]], {}, '"><script>');
  assert.doesNotMatch(text, /<script>/);
  assert.match(text, /aria-label="Waits: &quot;&gt;&lt;script&gt; 1.5 s"/);
});

test('an exemplar links to its trace', () => {
  const traceId = 'ab'.repeat(16);
  const text = chartOf([[0, 2]], { exemplars: [{ traceId, at: 50, value: 1 }] });
  assert.match(text, new RegExp(`<a href="/zipkin/traces/${traceId}">1 s</a>`));
});
