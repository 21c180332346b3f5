import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totalsOf } from './totals.ts';

test('formats whole seconds and gigabytes, one below the other', () => {
  assert.equal(
    totalsOf({ wholeMs: 812_400, buildingMs: 43_600, peakBytes: 6_149_000_000 }),
    ['whole run        812 s', 'of it, building   44 s', 'peak memory     6.1 GB', ''].join('\n'),
  );
});
