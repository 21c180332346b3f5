import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import type { Logger } from '@recording-request/kit/log';
import { ERRORS } from '@tus/server';
import { answerToError, headersSentence, rethrowAsTusError } from './errors.ts';

const answer = (error: unknown) => {
  const { status_code, body } = answerToError(error, {} as Logger, 1_000);
  return [status_code, (JSON.parse(body) as { error: string }).error] as const;
};

test('a refusal of the library keeps its status and gets a sentence that says what to change', () => {
  for (const [error, status, sentence] of [
    [ERRORS.INVALID_LENGTH, 400, /^Send either Upload-Length, in bytes, or Upload-Defer-Length: 1, and not both\.$/],
    [ERRORS.INVALID_METADATA, 400, /^Upload-Metadata must be pairs/],
    [ERRORS.ERR_MAX_SIZE_EXCEEDED, 413, /^Upload-Length must be at most 1000:/],
    [ERRORS.ERR_SIZE_EXCEEDED, 413, /send no more/],
    [ERRORS.FILE_NOT_FOUND, 404, /^There is no such upload\.$/],
  ] as const) {
    const [code, said] = answer(error);
    assert.equal(code, status, said);
    assert.match(said, sentence);
  }
});

test('the error names each invalid header and its required form', () => {
  assert.match(headersSentence('Invalid upload-offset'), /^Upload-Offset must be a whole number from 0/);
  assert.match(headersSentence('Invalid upload-metadata'), /^Upload-Metadata must be pairs/);
  assert.match(
    headersSentence('Invalid upload-length upload-defer-length'),
    /^Upload-Length must be .* Upload-Defer-Length must be 1/,
  );
  assert.equal(headersSentence('Not found'), 'Not found');
});

test('the cause of a 503 is in the log and not in the response', () => {
  const cause = new Error('connect ECONNREFUSED 192.0.2.1:50051');
  const away = new DomainError('unavailable', 'A part of the service is not answering.', { cause });
  for (const thrown of [away, caught(() => rethrowAsTusError(away))]) {
    const logged: unknown[] = [];
    const log = { warn: ({ err }: { err: unknown }) => logged.push(err) } as unknown as Logger;
    const { status_code, body } = answerToError(thrown, log, 1_000);
    assert.deepEqual([status_code, logged], [503, [cause]]);
    assert.doesNotMatch(body, /ECONNREFUSED/);
  }
});

function caught(run: () => never): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
