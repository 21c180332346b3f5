import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import { every } from './lifecycle.ts';
import { createLogger } from './log.ts';

test('a loop that a request wakes has no context of the request', async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const loop = every(60_000, async () => void seen.push(request.getStore()), {
    log: createLogger('test', 'silent'),
    name: 'a loop',
  });
  const turns = (count: number) => until(`turn ${count}`, () => seen.length === count);
  await turns(1);
  for (let count = 2; count < 5; count++) {
    request.run('its deadline', () => loop.wake());
    await turns(count);
  }
  await loop.stop();
  assert.deepEqual(seen, Array(4).fill(undefined));
});
