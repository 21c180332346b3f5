import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steadyOf, windowsOf } from './windows.ts';

test('only windows that are over count', () => {
  assert.deepEqual(windowsOf([101, 110, 111, 125, 131], 100, 129, 10), [2, 1]);
  assert.deepEqual(windowsOf([101], 100, 109, 10), []);
});

test('a rate is steady when two windows in a row differ by under a fifth, and is taken as it is after four', () => {
  assert.equal(steadyOf([20]), undefined);
  assert.equal(steadyOf([20, 15]), undefined);
  assert.equal(steadyOf([5, 20, 18]), 19);
  assert.equal(steadyOf([20, 10, 20, 10]), 15);
});
