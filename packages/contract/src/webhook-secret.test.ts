import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isWebhookSecret } from './webhook-secret.ts';

test('text after whsec_ must be base64 that every library reads; any other text is a secret unchanged', () => {
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
  // Some decoders read the URL-safe alphabet; others skip its characters.
  for (const text of [...bad, 'whsec_-_-_', 'whsec_ YWJj', 'whsec_YWJjé']) assert.ok(!isWebhookSecret(text), text);
});
