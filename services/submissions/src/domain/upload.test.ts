import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { checkQuestion, mimeTypeOf, parseUploadMetadata, partKey, tooLong } from './upload.ts';

const responseSessionId = randomUUID();
const refusal = (metadata: Record<string, string | null> | undefined): string => {
  try {
    parseUploadMetadata(metadata);
  } catch (error) {
    assert.ok(error instanceof DomainError && error.code === 'invalid');
    return error.message;
  }
  return '';
};

test('an upload needs the response it belongs to; the rest has defaults', () => {
  assert.deepEqual(parseUploadMetadata({ responseSessionId, filetype: 'video/webm;codecs="vp8,opus"' }), {
    responseSessionId,
    filetype: 'video/webm',
    questionIndex: 0,
    note: '',
  });
  assert.match(refusal(undefined), /responseSessionId/);
  assert.match(refusal({ responseSessionId: 'x' }), /responseSessionId/);
});

test('a key of the metadata that is wrong is named', () => {
  for (const filetype of ['text/html', 'video/webm\r\nX: y', 'video/webm €', 'video/webmx'])
    assert.match(refusal({ responseSessionId, filetype }), /filetype/);
  assert.match(refusal({ responseSessionId, questionIndex: '-1' }), /questionIndex/);
  assert.match(refusal({ responseSessionId, note: 'x'.repeat(2001) }), /note/);
  assert.equal(refusal({ responseSessionId, note: '🎬'.repeat(2000) }), '');
});

test('a question that the response does not have is refused', () => {
  checkQuestion(0, []);
  checkQuestion(1, ['a', 'b']);
  assert.throws(() => checkQuestion(1, []), /at most 0/);
  assert.throws(() => checkQuestion(2, ['a', 'b']), /at most 1/);
});

test('a take may run two seconds over, not more, and the refusal says the limit', () => {
  assert.equal(tooLong(122, 120, 2), undefined);
  assert.match(tooLong(122.1, 120, 2)!, /122 seconds long.*at most 120/);
});

test('parts sort in the order of their bytes and are named for their writer', () => {
  const keys = [9, 10, 1_000_000].map(offset => partKey('u', offset, 'w'));
  assert.deepEqual(keys.toSorted(), keys);
  assert.notEqual(partKey('u', 0, 'w1'), partKey('u', 0, 'w2'));
});

test('what the bytes are wins over what the client said', () => {
  assert.equal(mimeTypeOf('mp4', 'video/webm'), 'video/mp4');
  assert.equal(mimeTypeOf(undefined, 'video/webm'), 'video/webm');
  assert.equal(mimeTypeOf(undefined, ''), 'application/octet-stream');
});
