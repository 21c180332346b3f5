import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interleave } from './test-files.ts';

test('distributes the few long files evenly among the many short ones, none at the end', () => {
  assert.deepEqual(interleave(['A', 'B'], ['1', '2', '3', '4', '5']), ['A', '1', '2', 'B', '3', '4', '5']);
});

test('keeps all files when a list is empty or the first list is longer', () => {
  assert.deepEqual(interleave([], ['1', '2']), ['1', '2']);
  assert.deepEqual(interleave(['A', 'B'], []), ['A', 'B']);
  assert.deepEqual(interleave(['A', 'B', 'C'], ['1']).sort(), ['1', 'A', 'B', 'C']);
});
