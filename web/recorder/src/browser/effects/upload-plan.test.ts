import assert from 'node:assert/strict';
import { test } from 'node:test';
import { take } from '../state/testing.ts';
import { endOf, meaningOf, nextPiece, nextRequest, retryDelayMs } from './upload-plan.ts';

const KB = 1_024;

test('a sent take declares its length before the bytes', () => {
  const next = (uploadUrl: string | null, sent: boolean, offset: number | undefined, length?: number) =>
    nextRequest({ uploadUrl, sent }, { offset, length, size: 10 });
  assert.equal(next(null, true, undefined), 'create');
  assert.equal(next('/u', false, undefined), 'find');
  assert.equal(next('/u', true, 4), 'declare');
  assert.equal(next('/u', true, 10), 'declare');
  assert.equal(next('/u', false, 4), 'send');
  assert.equal(next('/u', true, 4, 10), 'send');
  assert.equal(next('/u', false, 10), 'rest', 'until there is more');
  assert.equal(next('/u', true, 10, 10), 'look');
});

test('a device with less than was sent uploads what it has and then stops', () => {
  const next = (offset: number) => nextRequest({ uploadUrl: '/u', sent: true }, { offset, length: 30, size: 10 });
  assert.equal(next(4), 'send');
  assert.equal(next(10), 'short');
  assert.equal(next(20), 'short', 'the server has more than this device');
  assert.equal(next(30), 'look');
});

test('pieces grow when quick and shrink when slow, within limits', () => {
  assert.equal(nextPiece(512 * KB, 100, true), 1_024 * KB);
  assert.equal(nextPiece(512 * KB, 100, false), 512 * KB, 'a small rest shows no speed');
  assert.equal(nextPiece(512 * KB, 3_000, true), 512 * KB);
  assert.equal(nextPiece(512 * KB, 7_000, true), 256 * KB);
  assert.equal(nextPiece(4_096 * KB, 100, true), 4_096 * KB);
  assert.equal(nextPiece(64 * KB, 7_000, true), 64 * KB);
});

test('retries wait longer each time, at most 15 s plus 25 percent', () => {
  assert.equal(retryDelayMs(1, 0.5), 600);
  assert.equal(retryDelayMs(2, 0.5), 1_200);
  assert.equal(retryDelayMs(100, 0.5), 15_000);
  assert.equal(retryDelayMs(100, 1), 18_750);
});

test('a retry waits for the server’s Retry-After, up to a minute', () => {
  for (const random of [0, 0.5, 1]) assert.ok(retryDelayMs(1, random, 5_000) >= 5_000);
  assert.ok(retryDelayMs(1, 0, 5_000) < retryDelayMs(1, 1, 5_000), 'pages do not retry at the same time');
  assert.ok(retryDelayMs(1, 0.5, 86_400_000) < 62_000);
});

test('the end of an upload is read from its own answer', () => {
  const answer = (fields: object, submissionId: string | null = null) => [
    {
      questionIndex: null,
      submissionId,
      uploads: [{ uploadId: 'u1', state: 'uploading', incomplete: false, error: null, errorCode: null, ...fields }],
    } as never,
  ];
  assert.deepEqual(endOf(take(), answer({ state: 'landed' }, 's')), { kind: 'landed' });
  assert.deepEqual(endOf(take(), answer({ state: 'landed', incomplete: true }, 's')), { kind: 'incomplete' });
  assert.deepEqual(endOf(take(), answer({}, 's')), { kind: 'gone', code: 'answered' });
  assert.deepEqual(endOf(take(), answer({ state: 'refused', errorCode: 'not_video' })), {
    kind: 'refused',
    code: 'not_video',
  });
  assert.equal(endOf(take(), answer({ state: 'finishing' })), undefined);
});

test('a refusal means an end or a check of the response; an unknown one is retried a few times', () => {
  assert.equal(meaningOf(404, '/u', 1), 'deleted');
  assert.equal(meaningOf(410, '/u', 1), 'gone');
  assert.equal(meaningOf(422, '/u', 1), 'refused');
  assert.deepEqual(meaningOf(413, '/u', 1), { kind: 'refused', code: 'too_large' });
  assert.equal(meaningOf(404, null, 3), undefined);
  assert.deepEqual(meaningOf(404, null, 4), { kind: 'refused', code: null });
});
