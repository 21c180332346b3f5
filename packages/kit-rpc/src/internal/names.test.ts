import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesIn, uriOf } from './names.ts';

test('the names of a certificate are its URIs of this system, and nothing that only looks like one', () => {
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
    // As Node prints a DNS name that contains a comma.
    `DNS:"x, URI:${uriOf('operator')}"`,
    `DNS:"x, URI:${uriOf('operator')}, y"`,
  ])
    assert.deepEqual(namesIn(other), [], String(other));
});
