import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spread } from './test-files.ts';

test('few long ones stand evenly among many short ones, none after the last of them', () => {
  assert.deepEqual(spread(['A', 'B'], ['1', '2', '3', '4', '5']), ['A', '1', '2', 'B', '3', '4', '5']);
});

test('nothing is lost where one of the lists is empty or the shorter one is longer', () => {
  assert.deepEqual(spread([], ['1', '2']), ['1', '2']);
  assert.deepEqual(spread(['A', 'B'], []), ['A', 'B']);
  assert.deepEqual(spread(['A', 'B', 'C'], ['1']).sort(), ['1', 'A', 'B', 'C']);
});
