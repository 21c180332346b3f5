import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  askTranscript,
  onMediaFailed,
  onMediaProcessed,
  onTranscriptEnded,
  onTranscriptStarted,
  type StoredObject,
  type Submission,
  toMessage,
} from './submission.ts';

const object = (key: string): StoredObject => ({ key, size: 10, mimeType: 'video/webm', sha256: 'aa', crc32: 1 });
const now = new Date('2026-01-02T03:04:05Z');

const landed = (fields: Partial<Submission> = {}): Submission => ({
  id: 's1',
  projectId: 'p1',
  ownerId: 'o1',
  linkId: 'l1',
  responseId: 'r1',
  interview: false,
  questionIndex: 0,
  questionText: undefined,
  createdAt: now,
  changedAt: now,
  durationSec: 12.4,
  note: undefined,
  reviewNote: undefined,
  selected: false,
  transcriptStatus: 'pending',
  transcriptText: undefined,
  transcriptVtt: undefined,
  transcriptError: undefined,
  transcriptRequest: 0,
  terms: undefined,
  mediaStatus: 'processing',
  mediaError: undefined,
  mediaAsks: 1,
  askedAt: now,
  source: object('source'),
  video: undefined,
  audio: undefined,
  thumbnails: [],
  incomplete: false,
  sha256: 'bb',
  ...fields,
});
const media = {
  video: object('video'),
  audio: object('audio'),
  thumbnails: [object('a'), object('b'), object('c')],
  durationSec: 12.5,
  hasSound: true,
};
const types = (change: { events: Array<{ type: string }> } | undefined) => change?.events.map(event => event.type);

test('media that is ready asks for the transcript that waits for it', () => {
  const change = onMediaProcessed(landed(), media, now)!;
  assert.equal(change.set.mediaStatus, 'ready');
  assert.equal(change.set.transcriptRequest, 1);
  assert.deepEqual(types(change), ['submission.transcript.requested']);
});

test('media that is recorded already changes nothing when it is told again', () => {
  assert.equal(onMediaProcessed(landed({ mediaStatus: 'ready', video: object('video') }), media, now), undefined);
});

test('a clip without sound has no transcript status and no event, although transcription is on', () => {
  const change = onMediaProcessed(landed(), { ...media, audio: undefined, hasSound: false }, now)!;
  assert.equal(change.set.transcriptStatus, 'none');
  assert.deepEqual(change.events, []);
  assert.equal(toMessage({ ...landed(), ...change.set }).transcriptStatus, 0);
});

test('a clip whose sound could not be read has a failed transcript, with its event', () => {
  const change = onMediaProcessed(landed(), { ...media, audio: undefined }, now)!;
  assert.deepEqual([change.set.mediaStatus, change.set.transcriptStatus], ['ready', 'failed']);
  assert.deepEqual(types(change), ['submission.transcript.failed']);
});

test('media that fails fails the transcript that waits for it, with its event', () => {
  const change = onMediaFailed(landed(), 'The clip is damaged.')!;
  assert.deepEqual([change.set.mediaStatus, change.set.transcriptStatus], ['failed', 'failed']);
  assert.deepEqual(types(change), ['submission.transcript.failed']);
});

test('media that fails where transcription is off is told to nobody', () => {
  assert.deepEqual(types(onMediaFailed(landed({ transcriptStatus: 'disabled' }), 'x')), []);
});

test('a transcript goes from pending over processing to completed, and its event carries the words', () => {
  const asked = landed({ transcriptRequest: 1 });
  assert.equal(onTranscriptStarted(asked, 1)!.set.transcriptStatus, 'processing');
  const change = onTranscriptEnded({ ...asked, transcriptStatus: 'processing' }, 1, { text: 'hello', vtt: 'WEBVTT' })!;
  assert.deepEqual(types(change), ['submission.transcript.completed']);
  const value = change.events[0]!.payload!.value as { submission: { transcriptText: string } };
  assert.equal(value.submission.transcriptText, 'hello');
});

test('an answer to an older request, or to none, is let go', () => {
  const asked = landed({ transcriptRequest: 2 });
  assert.equal(onTranscriptEnded(asked, 1, { reason: 'late' }), undefined);
  assert.equal(onTranscriptStarted(asked, 1), undefined);
  assert.equal(onTranscriptEnded(landed({ transcriptStatus: 'completed' }), 0, { reason: 'late' }), undefined);
});

test('asking again puts a failed transcript back to pending and forgets its error', () => {
  const failed = landed({
    transcriptStatus: 'failed',
    transcriptError: 'x',
    audio: object('audio'),
    transcriptRequest: 1,
  });
  const change = askTranscript(failed, now);
  assert.equal(change.set.transcriptStatus, 'pending');
  assert.equal(change.set.transcriptError, undefined);
  assert.equal(change.set.transcriptRequest, 2);
});

test('the upload as it came is what is served until the remux is recorded', () => {
  assert.equal(toMessage(landed()).fileSize, 10);
  assert.equal(toMessage(landed({ video: { ...object('video'), size: 11 } })).fileSize, 11);
});

test('a response session is told in interviews only', () => {
  assert.equal(toMessage(landed()).responseSessionId, undefined);
  const answer = toMessage(landed({ interview: true, questionIndex: 1, questionText: 'Why?' }));
  assert.deepEqual([answer.responseSessionId, answer.questionIndex, answer.questionText], ['r1', 1, 'Why?']);
});
