import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { progressOf } from './progress.ts';

const ids = Array.from({ length: 40 }, (_, at) => String(at));
const signal = new AbortController().signal;

test('the rate excludes the start, before each worker has finished one, and the end, when some workers are idle', async () => {
  // No progress in the first second, then ten items a second until four fifths are done, then one a second.
  let now = 0;
  const clock = mock.method(performance, 'now', () => now);
  const done = async () => {
    now += 100;
    const seconds = now / 1000 - 1;
    const count = seconds < 3.2 ? 10 * seconds : 32 + (seconds - 3.2);
    return Math.max(0, Math.floor(count + 1e-9));
  };
  const { rate, lost } = await progressOf({ ids, done }, { each: 5, limitMs: 60_000, lookMs: 0, signal });
  clock.mock.restore();
  assert.equal(rate.toFixed(1), '10.0');
  assert.equal(lost, 0);
});

test('late work counts as lost', async () => {
  const progress = await progressOf({ ids, done: async () => 30 }, { each: 5, limitMs: 0, signal });
  assert.deepEqual(progress, { rate: 0, lost: 10 });
});
