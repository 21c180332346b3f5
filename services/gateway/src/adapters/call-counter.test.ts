import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCounter } from './call-counter.ts';

test('each caller has its own count and limit', async () => {
  const count = createCounter('test', { max: 2, windowSeconds: 60 });
  assert.deepEqual(await count('a'), { max: 2, remaining: 1, resetSeconds: 60, isExceeded: false });
  assert.equal((await count('a')).isExceeded, false);
  const over = await count('a');
  assert.deepEqual([over.remaining, over.isExceeded], [0, true]);
  assert.equal((await count('b')).remaining, 1);
});

test('above the bound, the least recent caller is forgotten', async () => {
  const count = createCounter('test', { max: 5, windowSeconds: 60, callers: 2 });
  for (const caller of ['a', 'b', 'a', 'c']) await count(caller);
  assert.equal((await count('a')).remaining, 2, 'a was seen after b');
  assert.equal((await count('b')).remaining, 4, 'b starts again');
});
