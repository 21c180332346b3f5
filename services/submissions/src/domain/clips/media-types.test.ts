import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mimeTypeOf } from './media-types.ts';

test('the inspection distinguishes WebM from Matroska, and the first bytes distinguish QuickTime and 3GP from MP4', () => {
  assert.equal(mimeTypeOf('webm', 'video/x-matroska'), 'video/webm');
  assert.equal(mimeTypeOf('mp4', 'video/quicktime'), 'video/quicktime');
  assert.equal(mimeTypeOf('mp4', undefined), 'video/mp4');
  assert.equal(mimeTypeOf(undefined, 'video/webm'), 'video/webm');
  assert.equal(mimeTypeOf(undefined, undefined), 'application/octet-stream');
});
