import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodingFor } from './assets.ts';

test('the script is sent as the browser takes it', () => {
  assert.equal(encodingFor('gzip, deflate, br'), 'br');
  assert.equal(encodingFor('gzip, br;q=0'), 'gzip');
  assert.equal(encodingFor(undefined), 'identity');
});
