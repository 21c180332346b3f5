import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPurge, sumOf } from './erasure.ts';

const HOUR_MS = 3_600_000;
const TOMBSTONE_MS = 720 * HOUR_MS;
const times = { againMs: HOUR_MS, tombstoneMs: TOMBSTONE_MS };
const at = (ms: number) => new Date(Date.UTC(2030, 0, 1) + ms);

test('late results are removed after the longest job, then at growing intervals, until the tombstone expires', () => {
  const hours: number[] = [];
  for (let now: Date | undefined = at(0); now; now = nextPurge(at(0), now, times))
    hours.push((now.getTime() - at(0).getTime()) / HOUR_MS);
  assert.deepEqual(hours, [0, 1, 8, 64, 512, TOMBSTONE_MS / HOUR_MS]);
});

test('an erasure that is repeated at once does not postpone the purge after the longest job', () => {
  assert.deepEqual(nextPurge(at(0), at(HOUR_MS / 2), times), at(HOUR_MS));
});

test('tallies are summed by name', () => {
  assert.deepEqual(sumOf([{ objects: 1, notes: 2 }, { objects: 3 }, {}]).objects, 4);
});
