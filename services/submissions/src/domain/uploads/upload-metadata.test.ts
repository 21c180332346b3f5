import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import { checkAnswerMode, parseUploadMetadata, questionOf } from './upload-metadata.ts';

const responseSessionId = randomUUID();
const refusal = (metadata: Record<string, string | null> | undefined): string => {
  try {
    parseUploadMetadata(metadata, LIMITS);
  } catch (error) {
    assert.ok(error instanceof DomainError && error.code === 'invalid');
    return error.message;
  }
  return '';
};

test('an upload needs the response it belongs to; the rest has defaults', () => {
  assert.deepEqual(parseUploadMetadata({ responseSessionId, filetype: 'video/webm;codecs="vp8,opus"' }, LIMITS), {
    responseSessionId,
    questionIndex: undefined,
    note: '',
    answerMode: undefined,
    signed: false,
  });
  assert.match(refusal(undefined), /responseSessionId/);
  assert.match(refusal({ responseSessionId: 'x' }), /responseSessionId/);
});

test('the error names the wrong key of the metadata', () => {
  for (const filetype of ['video', 'video/', 'a video', 'video/webm\r\nX: y', 'video/webm €', 'video/webm;\u0000'])
    assert.match(refusal({ responseSessionId, filetype }), /filetype/);
  assert.match(refusal({ responseSessionId, questionIndex: '-1' }), /questionIndex/);
  for (const note of ['x'.repeat(2001), 'a\u0000b'])
    assert.match(refusal({ responseSessionId, note }), /^note must have/);
  assert.equal(refusal({ responseSessionId, note: 'a\r\n\tb' }), '');
  assert.equal(refusal({ responseSessionId, note: '🎬'.repeat(2000) }), '');
});

test('an answer mode is one of three, and "signed" is true or false', () => {
  assert.match(refusal({ responseSessionId, answerMode: 'text' }), /answerMode must be video, audio, or file/);
  for (const signed of ['yes', '1', 'TRUE'])
    assert.match(refusal({ responseSessionId, signed }), /signed must be true or/);
  const { answerMode, signed } = parseUploadMetadata(
    { responseSessionId, answerMode: 'audio', signed: 'true' },
    LIMITS,
  );
  assert.deepEqual([answerMode, signed], ['audio', true]);
  assert.equal(parseUploadMetadata({ responseSessionId, answerMode: null, signed: 'false' }, LIMITS).signed, false);
});

test('a mode that the response does not allow is refused; without a mode, video and file must be allowed', () => {
  const refused = (answerMode: string | undefined, modes: string[]): string | undefined => {
    try {
      checkAnswerMode({ answerMode }, modes);
    } catch (error) {
      assert.ok(error instanceof DomainError && error.code === 'invalid' && error.reason === 'answer_mode_refused');
      return error.message;
    }
  };
  assert.equal(refused('audio', ['audio']), undefined);
  assert.equal(refused(undefined, ['file', 'audio', 'video']), undefined);
  assert.equal(refused('file', []), undefined, 'a sender that does not know the setting');
  assert.match(refused('audio', []) ?? '', /must be video or file for this link, not audio\.$/);
  assert.match(refused('file', ['audio', 'video']) ?? '', /must be audio or video for this link, not file\.$/);
  assert.match(refused(undefined, ['video']) ?? '', /must be video for this link\.$/);
  assert.match(refused(undefined, ['audio', 'file']) ?? '', /must be audio or file for this link\.$/);
});

test('a file type is a hint: any media type is accepted, and none has an effect', () => {
  const types =
    'video/matroska|video/x-m4v|application/octet-stream|VIDEO/MP4|video/webm; codecs="vp9, opus"|text/html';
  for (const filetype of types.split('|')) {
    assert.equal(refusal({ responseSessionId, filetype }), '', filetype);
    assert.equal('filetype' in parseUploadMetadata({ responseSessionId, filetype }, LIMITS), false);
  }
});

test('an upload names its question when there are several, and cannot name one that the response does not have', () => {
  const metadata = parseUploadMetadata({ responseSessionId }, LIMITS);
  const of = (questionIndex: number | undefined, questions: string[]) =>
    questionOf({ ...metadata, questionIndex }, questions);
  assert.equal(of(undefined, []), 0);
  assert.equal(of(undefined, ['a']), 0);
  assert.equal(of(1, ['a', 'b']), 1);
  assert.throws(() => of(undefined, ['a', 'b']), /must carry questionIndex.*0 to 1/);
  assert.throws(() => of(1, []), /at most 0/);
  assert.throws(() => of(2, ['a', 'b']), /at most 1/);
});
