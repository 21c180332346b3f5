import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partKey } from './object-keys.ts';

test('parts sort in the order of their bytes, and two at one offset have different keys', () => {
  const keys = [9, 10, 1_000_000].map(offset => partKey('u', offset, 'w'));
  assert.deepEqual(keys.toSorted(), keys);
  assert.notEqual(partKey('u', 0, 'a'), partKey('u', 0, 'b'));
});
