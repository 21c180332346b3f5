import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isWebhookSecret } from './webhook-secret.ts';

test('what follows whsec_ is base64 as every library reads it; any other text is a secret as it is', () => {
  for (const length of [1, 2, 3, 24, 32, 64]) {
    assert.ok(isWebhookSecret(`whsec_${randomBytes(length).toString('base64')}`), `${length} bytes`);
  }
  for (const text of ['', 'any words, ümlauts too', 'WHSEC_!', ' whsec_!', 'a whsec_ in it']) {
    assert.ok(isWebhookSecret(text), text);
  }
  const bad = [
    'nul\u0000',
    'whsec_',
    'whsec_!!!!',
    'whsec_not base64!',
    'whsec_YQ',
    'whsec_YQ=',
    'whsec_YWJj\n',
    'whsec_YR==',
  ];
  // The alphabet of URLs, which some decoders read and others skip.
  for (const text of [...bad, 'whsec_-_-_', 'whsec_ YWJj', 'whsec_YWJjé']) assert.ok(!isWebhookSecret(text), text);
});
