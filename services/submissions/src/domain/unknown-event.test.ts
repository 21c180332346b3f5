import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryPauseMs } from './unknown-event.ts';

test('an unknown event is retried soon, then at growing intervals, and not after a week', () => {
  const minute = 60_000;
  const pauses = [0, 10, 60, 24 * 60].map(minutes => retryPauseMs(minutes * minute, 30_000)! / 1_000);
  assert.deepEqual(pauses, [30, 150, 480, 480]);
  assert.equal(retryPauseMs(8 * 24 * 60 * minute, 30_000), undefined);
});
