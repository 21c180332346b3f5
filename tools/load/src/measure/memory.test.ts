import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFlat, useOf } from './memory.ts';

const MIB = 1024 ** 2;
const mib = (...values: number[]) => values.map(value => value * MIB);
const grown = (from: number, to: number) =>
  mib(...Array.from({ length: 400 }, (_, at) => from + ((to - from) * at) / 400));

test('ignores the memory of the start, and a single garbage collection', () => {
  const start = grown(80, 180).slice(0, 100);
  const breath = mib(...Array.from({ length: 300 }, (_, at) => 180 + (at % 30)));
  const use = useOf([...start, ...breath]);
  assert.equal(isFlat(use), true);
  assert.deepEqual([use.start / MIB, use.highest / MIB, use.end / MIB], [80, 209, 209]);
});

test('reports a process that keeps growing', () => {
  assert.equal(isFlat(useOf(grown(150, 250))), false);
});

test('uses the system’s peak, also between two samples', () => {
  assert.equal(useOf(mib(100, 110), 300 * MIB).highest, 300 * MIB);
});
