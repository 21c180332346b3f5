import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUploadLimiter } from './upload-limiter.ts';

test('one client, one link and all together have a limit each, and an upload that ends admits another', () => {
  const limiter = createUploadLimiter({ all: 6, perLink: 4, perClient: 2 });
  const admit = (link: string, address: string) => limiter.admit(link, address);
  const first = admit('a', '1');
  assert.ok(first && admit('a', '1'));
  assert.equal(admit('a', '1'), undefined, 'a third of one address at one link');
  assert.ok(admit('a', '2') && admit('a', '3'));
  assert.equal(admit('a', '4'), undefined, 'a fifth of one link');
  assert.ok(admit('b', '1') && admit('b', '2'), 'another link is not concerned');
  assert.equal(admit('c', '9'), undefined, 'a seventh of all');
  first();
  assert.ok(admit('c', '9'));
});
