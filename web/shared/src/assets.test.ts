import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodingFor } from './assets.ts';

test('the script has the encoding that the browser accepts', () => {
  assert.equal(encodingFor('gzip, deflate, br'), 'br');
  assert.equal(encodingFor('gzip, br;q=0'), 'gzip');
  assert.equal(encodingFor(undefined), 'identity');
});

test('the weights select the encoding, and br wins a tie', () => {
  for (const [accepted, best] of [
    ['gzip;q=1.0, br;q=0.1', 'gzip'],
    ['br; q=0.4, gzip;q=0.400', 'br'],
    ['GZIP ; Q=0.9, Br;q=0.8', 'gzip'],
    ['identity;q=1, br;q=0.5, gzip;q=0.2', 'identity'],
    ['identity, gzip, br', 'br'],
    ['br;q=0.0, gzip;q=0.000', 'identity'],
    ['br;q=x, gzip;q=0.001', 'gzip'],
    ['deflate;q=1, gzip;q=0.1', 'gzip'],
    ['', 'identity'],
    // Clients that name no encoding send this.
    ['*', 'identity'],
  ] as const)
    assert.equal(encodingFor(accepted), best, accepted);
});
