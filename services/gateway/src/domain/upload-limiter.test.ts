import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUploadSlots } from './upload-limiter.ts';

test('one client, one link and all together have a bound each, and what ends makes room', () => {
  const slots = createUploadSlots({ all: 6, perLink: 4, perClient: 2 });
  const take = (link: string, address: string) => slots.take(link, address);
  const first = take('a', '1');
  assert.ok(first && take('a', '1'));
  assert.equal(take('a', '1'), undefined, 'a third of one address at one link');
  assert.ok(take('a', '2') && take('a', '3'));
  assert.equal(take('a', '4'), undefined, 'a fifth of one link');
  assert.ok(take('b', '1') && take('b', '2'), 'another link has room');
  assert.equal(take('c', '9'), undefined, 'a seventh of all');
  first();
  assert.ok(take('c', '9'));
});
