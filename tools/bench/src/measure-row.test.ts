import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MeasureOptions, measureRow } from './measure-row.ts';
import { type Bench, FULL, type Prepared, type Row } from './row.ts';
import { randomFrom } from './stats/random.ts';

const BENCH = { log() {}, signal: new AbortController().signal, scale: FULL } as unknown as Bench;

/** Measures a row that takes three minutes. `wasPrepared` returns whether the row has started. */
function measured(more: Partial<MeasureOptions>) {
  let prepared = false;
  const sample = async () => ({ metrics: { rate: 1 }, machine: { all: 1, foreign: 0, stolen: 0 } });
  const row: Row = {
    name: '4',
    title: 'a row',
    needs: [],
    goals: [],
    self: [],
    minutes: 3,
    async prepare(): Promise<Prepared> {
      prepared = true;
      return { product: sample };
    },
  };
  const options = { rounds: 9, maxRounds: 9, anyNoise: false, random: randomFrom(1), later: 0, bounded: true };
  return {
    result: measureRow(row, BENCH, { ...options, left: () => 3_600, ...more }),
    wasPrepared: () => prepared,
  };
}

test('a row that fits into the remaining time is measured', async () => {
  const { state, rounds } = await measured({ left: () => 181 }).result;
  assert.equal(state, 'judged');
  assert.equal(rounds, 9);
});

test('a row that does not fit into the remaining hour is not started; its result has the command that measures it', async () => {
  const { result, wasPrepared } = measured({ left: () => 179 });
  const { state, why } = await result;
  assert.equal(state, 'not measured');
  assert.equal(why, "it takes about 3 min, and 2 min of the run's hour remained: npm run bench -- 4 measures it alone");
  assert.equal(wasPrepared(), false);
});

test('a running row gets no more rounds after the hour', async () => {
  const left = [3_600, 3_600, 3_600, 0];
  const { state, why } = await measured({ left: () => left.shift() ?? 0 }).result;
  assert.equal(state, 'not measured');
  assert.match(String(why), /after 2 of 9 rounds/);
});

test('a named row gets all its rounds without a time limit', async () => {
  assert.equal((await measured({ left: () => -1, bounded: false }).result).state, 'judged');
});
