import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './wait.ts';

test('until returns the first truthy result', async () => {
  let looks = 0;
  assert.equal(await until('the third call', () => ++looks === 3 && 'found', { everyMs: 1 }), 'found');
  assert.equal(looks, 3);
});

test('a timeout fails with the name of the condition', async () => {
  const never = until('the clip lands', async () => undefined, { limitMs: 30, everyMs: 1 });
  await assert.rejects(never, { message: 'not within 30 ms: the clip lands' });
});

test('an exception ends the wait at once', async () => {
  let looks = 0;
  const failing = until('anything', () => {
    looks += 1;
    throw new Error('the clip failed');
  });
  await assert.rejects(failing, { message: 'the clip failed' });
  assert.equal(looks, 1);
});
