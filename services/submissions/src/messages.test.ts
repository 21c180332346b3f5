import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@recording-request/contract/limits';
import { outboxEntry } from '@recording-request/events/kafka';
import { landed, now, object } from '../test/landed-submission.ts';
import type { Inspection, Job, JobKind, Submission, SubmissionEvent } from './domain/clips/submission.ts';
import { newJob } from './domain/jobs/job.ts';
import { toEvent, toJob, toMessage } from './messages.ts';

test('a clip without sound has no transcript status', () => {
  assert.equal(toMessage(landed({ transcriptStatus: 'none' })).transcriptStatus, 0);
});

test('the original upload is served until the remux is recorded', () => {
  assert.equal(toMessage(landed()).fileSize, 10);
  assert.equal(toMessage(landed({ video: { ...object('video'), size: 11 } })).fileSize, 11);
});

test('a response session is shown in interviews only', () => {
  assert.equal(toMessage(landed()).responseSessionId, undefined);
  const answer = toMessage(landed({ interview: true, questionIndex: 1, questionText: 'Why?' }));
  assert.deepEqual([answer.responseSessionId, answer.questionIndex, answer.questionText], ['r1', 1, 'Why?']);
});

test('the event of a transcript carries its text', () => {
  const submission = landed({ transcriptStatus: 'completed', transcriptText: 'hello' });
  const { type, payload } = toEvent({ type: 'submission.transcript.completed', submission });
  assert.equal(type, 'submission.transcript.completed');
  assert.ok(payload?.$case === 'submissionTranscript');
  assert.equal(payload.value.submission?.transcriptText, 'hello');
});

// Each of these characters has four bytes in UTF-8, as most emoji have.
const longest = (length: number) => '😀'.repeat(length);
const EVENT_BYTES = 200_000;

test('the events of the largest valid submission are far smaller than the limit of a Kafka record', () => {
  const submission: Submission = landed({
    interview: true,
    questionText: longest(LIMITS.questionLength),
    note: longest(LIMITS.noteLength),
    reviewNote: longest(LIMITS.reviewNoteLength),
    terms: { sha256: 'ab'.repeat(32), text: longest(LIMITS.termsTextLength), acceptedAt: new Date() },
    transcriptStatus: 'completed',
    // The longest text that the transcription service returns.
    transcriptText: 'x'.repeat(450_000),
    transcriptVtt: 'y'.repeat(450_000),
    transcriptError: longest(200),
    mediaError: longest(200),
    audio: object('audio'),
  });
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
    'submission.media.requested': [{ type: 'submission.media.requested', submission }],
    'submission.transcript.requested': [{ type: 'submission.transcript.requested', submission }],
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

const inspection = { container: 'webm', durationSec: 3 } as Inspection;
const begun = (kind: JobKind, attempts: number): Job => ({
  ...newJob(kind, now, inspection),
  attempts,
  runs: attempts,
});

test('a transcript job carries the language that the project named', () => {
  const languageOf = (submission: Partial<Submission>) => {
    const { job } = toJob(landed({ audio: object('audio'), job: begun('transcript', 1), ...submission }));
    assert.ok(job?.$case === 'transcript');
    return job.value.language;
  };
  assert.equal(languageOf({ transcriptionLanguage: 'de' }), 'de');
  assert.equal(languageOf({}), undefined);
});

test('only the first attempt of a media job carries the inspection of the landing', () => {
  const inspectionOf = (attempts: number) => {
    const { job } = toJob(landed({ job: begun('media', attempts) }));
    assert.ok(job?.$case === 'media');
    return job.value.inspection;
  };
  assert.deepEqual([inspectionOf(1), inspectionOf(2)], [inspection, undefined]);
});

test('the event of a long transcript refers to it, with a payload that older consumers do not read as an empty transcript', () => {
  const long = { transcriptStatus: 'completed', transcriptText: longest(30_000), transcriptVtt: 'WEBVTT' } as const;
  const { type, payload } = toEvent({ type: 'submission.transcript.completed', submission: landed(long) });
  assert.equal(type, 'submission.transcript.completed');
  assert.ok(payload?.$case === 'submissionTranscriptByReference');
  const { submission } = payload.value;
  assert.deepEqual([submission?.transcriptText, submission?.transcriptVtt], [undefined, undefined]);
});

test('a response that is found complete again has the same event id, and a response of another link has another one', () => {
  const id = (linkId: string) =>
    toEvent({ type: 'response.completed', submission: landed({ linkId }), submissionIds: ['s1'] }).id;
  assert.equal(id('l1'), id('l1'));
  assert.notEqual(id('l1'), id('l2'));
});
