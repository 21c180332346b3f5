import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@recording-request/contract/limits';
import { outboxEntry } from '@recording-request/events/kafka';
import { landed, object } from '../test/landed-submission.ts';
import type { Submission, SubmissionEvent } from './domain/clips/submission.ts';
import { toEvent, toMessage } from './messages.ts';

test('a clip without sound has no transcript status', () => {
  assert.equal(toMessage(landed({ transcriptStatus: 'none' })).transcriptStatus, 0);
});

test('the original upload is what is served until the remux is recorded', () => {
  assert.equal(toMessage(landed()).fileSize, 10);
  assert.equal(toMessage(landed({ video: { ...object('video'), size: 11 } })).fileSize, 11);
});

test('a response session is shown in interviews only', () => {
  assert.equal(toMessage(landed()).responseSessionId, undefined);
  const answer = toMessage(landed({ interview: true, questionIndex: 1, questionText: 'Why?' }));
  assert.deepEqual([answer.responseSessionId, answer.questionIndex, answer.questionText], ['r1', 1, 'Why?']);
});

test('the event of a transcript carries its words', () => {
  const submission = landed({ transcriptStatus: 'completed', transcriptText: 'hello' });
  const { type, payload } = toEvent({ type: 'submission.transcript.completed', submission });
  assert.equal(type, 'submission.transcript.completed');
  assert.ok(payload?.$case === 'submissionTranscript');
  assert.equal(payload.value.submission?.transcriptText, 'hello');
});

// Four bytes each, as most emoji have.
const longest = (length: number) => '😀'.repeat(length);
const EVENT_BYTES = 200_000;

test('the largest valid submission makes no event that is large beside what a Kafka record may be', () => {
  const submission: Submission = landed({
    interview: true,
    questionText: longest(LIMITS.questionLength),
    note: longest(LIMITS.noteLength),
    reviewNote: longest(LIMITS.reviewNoteLength),
    terms: { sha256: 'ab'.repeat(32), text: longest(LIMITS.termsTextLength), acceptedAt: new Date() },
    transcriptStatus: 'completed',
    // The longest that the transcription service returns.
    transcriptText: 'x'.repeat(450_000),
    transcriptVtt: 'y'.repeat(450_000),
    transcriptError: longest(200),
    mediaError: longest(200),
    audio: object('audio'),
  });
  const inspection = {
    ...{ container: 'webm', durationSec: 600, hasAudio: true, videoCodec: 'vp9', audioCodec: 'opus' },
    ...{ width: 1920, height: 1080, lastFrameSec: 600, videoPackets: 1, audioPackets: 1 },
    // The most that the media service returns.
    keyFrames: Array.from({ length: 1_000 }, (_, at) => at / 3),
    // The most streams that are read.
    tracks: Array.from({ length: 64 }, (_, stream) => ({
      ...{ stream, kind: 'video', codec: 'h264', packets: 200_000, bytes: 2 ** 31, startSec: 0.1, endSec: 600.1 },
      ...{
        descriptions: 200_000,
        channels: 0,
        looks: Array.from({ length: 10 }, () => 'turn '.padEnd(100, '-65536 ')),
      },
    })),
  };
  const inline = { ...submission, transcriptText: 'x'.repeat(50_000), transcriptVtt: 'y'.repeat(50_000) };
  const events: Record<SubmissionEvent['type'], SubmissionEvent[]> = {
    'submission.completed': [{ type: 'submission.completed', submission: inline }],
    'submission.transcript.completed': [
      { type: 'submission.transcript.completed', submission },
      { type: 'submission.transcript.completed', submission: inline },
    ],
    'submission.transcript.failed': [{ type: 'submission.transcript.failed', submission: inline }],
    'submission.media.completed': [
      { type: 'submission.media.completed', submission },
      { type: 'submission.media.completed', submission: inline },
    ],
    'submission.media.failed': [{ type: 'submission.media.failed', submission: inline }],
    'response.completed': [
      { type: 'response.completed', submission, submissionIds: Array(LIMITS.interviewQuestions).fill('i'.repeat(36)) },
    ],
    'submission.media.requested': [{ type: 'submission.media.requested', submission, inspection, trace: undefined }],
    'submission.transcript.requested': [
      { type: 'submission.transcript.requested', submission, requestNumber: 9, trace: undefined },
    ],
    'submission.erased': [{ type: 'submission.erased', projectId: submission.projectId, submissionId: submission.id }],
    'submission.erasure': [
      { type: 'submission.erasure', projectId: 'p'.repeat(36), submissionId: submission.id, erasedAt: new Date() },
    ],
  };
  for (const event of Object.values(events).flat()) {
    const bytes = outboxEntry(toEvent(event)).value.length;
    assert.ok(bytes <= EVENT_BYTES, `${event.type} has ${bytes} bytes`);
  }
});

test('the language that the project named goes with the request for the transcript', () => {
  const requestOf = (submission: Partial<Submission>) => {
    const { payload } = toEvent({
      ...{ type: 'submission.transcript.requested', requestNumber: 1, trace: undefined },
      submission: landed({ audio: object('audio'), ...submission }),
    });
    assert.ok(payload?.$case === 'transcriptRequested');
    return payload.value.language;
  };
  assert.equal(requestOf({ transcriptionLanguage: 'de' }), 'de');
  assert.equal(requestOf({}), undefined);
});

test('the event of a long transcript refers to it, under a name that older consumers do not take for one without words', () => {
  const long = { transcriptStatus: 'completed', transcriptText: longest(30_000), transcriptVtt: 'WEBVTT' } as const;
  const { type, payload } = toEvent({ type: 'submission.transcript.completed', submission: landed(long) });
  assert.equal(type, 'submission.transcript.completed');
  assert.ok(payload?.$case === 'submissionTranscriptByReference');
  const { submission } = payload.value;
  assert.deepEqual([submission?.transcriptText, submission?.transcriptVtt], [undefined, undefined]);
});

test('a response that is found to be whole again is the same event, and another link’s another one', () => {
  const id = (linkId: string) =>
    toEvent({ type: 'response.completed', submission: landed({ linkId }), submissionIds: ['s1'] }).id;
  assert.equal(id('l1'), id('l1'));
  assert.notEqual(id('l1'), id('l2'));
});
