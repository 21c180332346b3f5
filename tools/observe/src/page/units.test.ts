import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTicks, formatValue } from './units.ts';

test('formats values for people', () => {
  const shown = [
    [0.0042, 's'],
    [90, 's'],
    [7_200, 's'],
    [0, 's'],
    [0.9987, 'percentunit'],
    [1_572_864, 'bytes'],
    [1.25, 'reqps'],
    [0.0004, 'reqps'],
    [12_345, 'short'],
    [0.03, 'suffix:cores'],
    [Number.NaN, 's'],
  ].map(([value, unit]) => formatValue(value as number, unit as string));
  const expected = [
    '4.2 ms',
    '90 s',
    '2 h',
    '0 s',
    '99.9 %',
    '1.5 MiB',
    '1.25/s',
    '0.0004/s',
    '12.3 k',
    '0.03 cores',
    '–',
  ];
  assert.deepEqual(shown, expected);
});

test('shows a rounding error as 0', () => {
  assert.deepEqual(
    [-7e-12, 7e-18, -0].map(value => formatValue(value, 's')),
    ['0 s', '0 s', '0 s'],
  );
});

test('an axis has one unit', () => {
  assert.deepEqual(formatTicks([0, 0.5, 1, 1.5], 's'), ['0 s', '0.5 s', '1 s', '1.5 s']);
  assert.deepEqual(formatTicks([0, 60, 120, 180], 's'), ['0 min', '1 min', '2 min', '3 min']);
  assert.deepEqual(formatTicks([0, 500, 1_000], 'bytes'), ['0 B', '500 B', '1000 B']);
  assert.deepEqual(formatTicks([0, 0.02], 'suffix:cores'), ['0 cores', '0.02 cores']);
  assert.deepEqual(formatTicks([0, 0], 's'), ['0 s', '0 s']);
});
