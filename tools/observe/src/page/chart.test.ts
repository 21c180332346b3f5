import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChartOptions, chart } from './chart.ts';
import { formatValue } from './units.ts';

const OPTIONS: ChartOptions = {
  title: 'Waits',
  span: { start: 0, end: 100, stepSeconds: 10 },
  unit: 's',
  decimals: undefined,
  min: undefined,
  max: undefined,
  stacked: false,
  width: 600,
  exemplars: [],
  thresholds: [],
};
const pathsOf = (svg: string) => [...svg.matchAll(/ d="([^"]*)"/g)].map(([, path]) => path!);

test('a line has a gap where points are missing, and a point of its own is seen', () => {
  const points: [number, number][] = [
    [0, 1],
    [10, 2],
    [20, Number.NaN],
    [60, 3],
    [100, Number.POSITIVE_INFINITY],
  ];
  const [path = ''] = pathsOf(chart([{ name: 'a', points }], OPTIONS).text);
  assert.match(path, /^M[\d. ]+h0L[\d. ]+M[\d. ]+h0$/);
});

test('lines that are stacked add up, and the axis reaches their sum', () => {
  const line = (value: number) => ({
    name: `${value}`,
    points: [
      [0, value],
      [10, value],
    ] as [number, number][],
  });
  const [first, second] = pathsOf(chart([line(3), line(5)], { ...OPTIONS, stacked: true }).text).map(path =>
    Number(/^M\S+ ([\d.]+)/.exec(path)?.[1]),
  );
  // 8 of an axis to 8 is its top.
  assert.equal(second, 8);
  assert.ok(first! > second!);
});

test('what is left of numbers that cancel out is drawn as nothing', () => {
  const points: [number, number][] = [
    [0, 0],
    [50, 1.4e-20],
    [100, 0],
  ];
  const { text } = chart([{ name: 'a', points }], OPTIONS);
  assert.match(text, />1 s</, 'an axis as for a line that is nothing');
});

test('names of lines cannot break out of the drawing, and are told in words', () => {
  const { text } = chart([{ name: '"><script>', points: [[0, 1.5]] }], OPTIONS);
  assert.doesNotMatch(text, /<script>/);
  assert.match(text, /aria-label="Waits: &quot;&gt;&lt;script&gt; 1.5 s"/);
});

test('an exemplar leads to its trace where the axis reaches it', () => {
  const exemplar = { traceId: 'ab'.repeat(16), at: 50, value: 1 };
  const { text } = chart([{ name: 'a', points: [[0, 2]] }], {
    ...OPTIONS,
    exemplars: [exemplar, { ...exemplar, value: 99, traceId: 'cd'.repeat(16) }],
  });
  assert.match(text, new RegExp(`href="/zipkin/traces/${'ab'.repeat(16)}"`));
  assert.doesNotMatch(text, /cdcd/);
});

test('values are read as a person would write them', () => {
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
