import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesIn, uriOf } from './names.ts';

test('a certificate’s names are its URIs of this system; a text that only looks like one is no name', () => {
  assert.deepEqual(namesIn(`URI:${uriOf('projects')}`), ['projects']);
  assert.deepEqual(namesIn(`DNS:projects, URI:${uriOf('media')}, IP Address:10.0.0.1, URI:${uriOf('operator')}`), [
    'media',
    'operator',
  ]);
  for (const other of [
    undefined,
    '',
    'DNS:projects',
    'URI:spiffe://elsewhere/projects',
    'URI:https://recording-request/projects',
    // Node prints a DNS name that contains a comma in this form.
    `DNS:"x, URI:${uriOf('operator')}"`,
    `DNS:"x, URI:${uriOf('operator')}, y"`,
  ])
    assert.deepEqual(namesIn(other), [], String(other));
});
