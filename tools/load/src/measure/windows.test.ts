import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steadyOf, windowsOf } from './windows.ts';

test('counts only complete windows', () => {
  assert.deepEqual(windowsOf([101, 110, 111, 125, 131], 100, 129, 10), [2, 1]);
  assert.deepEqual(windowsOf([101], 100, 109, 10), []);
});

test('a rate is steady when two consecutive windows differ by less than a fifth, or after four windows', () => {
  assert.equal(steadyOf([20]), undefined);
  assert.equal(steadyOf([20, 15]), undefined);
  assert.equal(steadyOf([5, 20, 18]), 19);
  assert.equal(steadyOf([20, 10, 20, 10]), 15);
});
