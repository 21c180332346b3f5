import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partKey } from './object-keys.ts';

test('parts sort in the order of their bytes and are named for their writer', () => {
  const keys = [9, 10, 1_000_000].map(offset => partKey('u', offset, 'w'));
  assert.deepEqual(keys.toSorted(), keys);
  assert.notEqual(partKey('u', 0, 'w1'), partKey('u', 0, 'w2'));
});
