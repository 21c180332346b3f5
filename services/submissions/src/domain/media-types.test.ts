import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mimeTypeOf } from './media-types.ts';

test('what the bytes are wins over what the client said', () => {
  assert.equal(mimeTypeOf('mp4', 'video/webm'), 'video/mp4');
  assert.equal(mimeTypeOf(undefined, 'video/webm'), 'video/webm');
  assert.equal(mimeTypeOf(undefined, ''), 'application/octet-stream');
});
