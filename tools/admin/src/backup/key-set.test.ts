import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeySet } from './key-set.ts';

test('a set has the keys that were added, and no others', () => {
  const set = createKeySet();
  assert.equal(set.has('any'), false);
  for (let at = 0; at < 5_000; at += 1) set.add(`uploads/${at}`);
  for (let at = 0; at < 5_000; at += 1) assert.ok(set.has(`uploads/${at}`));
  assert.equal(set.has('uploads/5000'), false);
  set.add('uploads/5000');
  assert.equal(set.has('uploads/5000'), true);
});
