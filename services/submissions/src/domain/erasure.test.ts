import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPurge, sumOf, TOMBSTONE_MS } from './erasure.ts';

const HOUR_MS = 3_600_000;
const at = (ms: number) => new Date(Date.UTC(2030, 0, 1) + ms);

test('what comes late is removed after the longest job, then ever more seldom, until the tombstone goes', () => {
  const times: number[] = [];
  for (let now: Date | undefined = at(0); now; now = nextPurge(at(0), now, HOUR_MS))
    times.push((now.getTime() - at(0).getTime()) / HOUR_MS);
  assert.deepEqual(times, [0, 1, 8, 64, 512, TOMBSTONE_MS / HOUR_MS]);
});

test('an erasure that is repeated at once does not put off the time after the longest job', () => {
  assert.deepEqual(nextPurge(at(0), at(HOUR_MS / 2), HOUR_MS), at(HOUR_MS));
});

test('tallies are summed by name', () => {
  assert.deepEqual(sumOf([{ objects: 1, notes: 2 }, { objects: 3 }, {}]).objects, 4);
});
