import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landed, now, object } from '../../../test/landed-submission.ts';
import {
  askTranscript,
  landedEvents,
  onMediaFailed,
  onMediaProcessed,
  onTranscriptEnded,
} from './submission-changes.ts';

const media = {
  video: object('video'),
  audio: object('audio'),
  thumbnails: [object('a'), object('b'), object('c')],
  durationSec: 12.5,
  hasSound: true,
  problem: undefined,
};
const types = (change: { events: Array<{ type: string }> } | undefined) => change?.events.map(event => event.type);

test('ready media requests the transcript that waits for it', () => {
  const change = onMediaProcessed(landed(), media, now)!;
  assert.equal(change.set.mediaStatus, 'ready');
  assert.equal(change.set.transcriptRequest, 1);
  assert.deepEqual([change.set.job?.kind, change.set.job?.state], ['transcript', 'waiting']);
});

test('media that arrives after its failure is recorded, and requests the transcript that failed with it', () => {
  const givenUp = { ...landed(), ...onMediaFailed(landed(), 'In several tries.', 'service')!.set };
  const change = onMediaProcessed(givenUp, media, now)!;
  assert.deepEqual([change.set.mediaStatus, change.set.mediaError], ['ready', undefined]);
  assert.deepEqual([change.set.transcriptStatus, change.set.job?.kind], ['pending', 'transcript']);
  assert.deepEqual(types(change), ['submission.media.completed', 'submission.transcript.requested']);
  const silent = onMediaProcessed(givenUp, { ...media, audio: undefined }, now)!;
  assert.equal(silent.set.transcriptStatus, 'failed');
  assert.deepEqual([types(silent), silent.fault], [[], undefined], 'its failures were announced before');
  const off = landed({ mediaStatus: 'failed', mediaError: 'In several tries.', transcriptStatus: 'disabled' });
  assert.deepEqual(onMediaProcessed(off, media, now)!.set.job, undefined);
});

test('media that is recorded already changes nothing when it is reported again', () => {
  assert.equal(onMediaProcessed(landed({ mediaStatus: 'ready', video: object('video') }), media, now), undefined);
});

test('a clip without sound has no transcript status and no event of one, although transcription is on', () => {
  const change = onMediaProcessed(landed(), { ...media, audio: undefined, hasSound: false }, now)!;
  assert.equal(change.set.transcriptStatus, 'none');
  assert.deepEqual(types(change), ['submission.media.completed']);
});

test('a clip with unreadable sound fails with its transcript, and its other media is recorded', () => {
  const problem = 'The sound could not be read.';
  const change = onMediaProcessed(landed(), { ...media, audio: undefined, problem }, now)!;
  assert.deepEqual([change.set.mediaStatus, change.set.transcriptStatus], ['failed', 'failed']);
  assert.deepEqual([change.set.mediaError, change.set.video], [problem, media.video]);
  assert.equal(change.set.thumbnails?.length, 3);
  assert.deepEqual(types(change), ['submission.media.failed', 'submission.transcript.failed']);
  assert.equal(change.fault, 'clip');
});

test('a clip whose upload stays the video is ready, says why, and has its transcript', () => {
  const problem = 'The video stays as it was uploaded: a copy would lose its turn.';
  const change = onMediaProcessed(landed(), { ...media, video: undefined, problem }, now)!;
  assert.deepEqual([change.set.mediaStatus, change.set.mediaError], ['ready', problem]);
  assert.equal(change.set.video, undefined);
  assert.deepEqual([change.set.transcriptStatus, change.set.job?.kind], ['pending', 'transcript']);
});

test('a clip without thumbnails has failed, but has its transcript', () => {
  const problem = 'No thumbnail could be made.';
  const change = onMediaProcessed(landed(), { ...media, thumbnails: [], problem }, now)!;
  assert.equal(change.set.mediaStatus, 'failed');
  const after = { ...landed(), ...change.set };
  assert.deepEqual([after.job?.kind, after.audio], ['transcript', media.audio]);
  const again = onMediaProcessed({ ...after, mediaStatus: 'processing' }, { ...media, video: undefined }, now)!;
  assert.deepEqual(
    [again.set.mediaStatus, again.set.video],
    ['ready', media.video],
    'parts that were made before stay',
  );
});

test('failed media fails the transcript that waits for it, with its event', () => {
  const change = onMediaFailed(landed(), 'The clip is damaged.', 'clip')!;
  assert.deepEqual([change.set.mediaStatus, change.set.transcriptStatus], ['failed', 'failed']);
  assert.deepEqual(types(change), ['submission.media.failed', 'submission.transcript.failed']);
});

test('media that ends while transcription is off has its own event, with the submission after the change', () => {
  const off = landed({ transcriptStatus: 'disabled' });
  const [failed] = onMediaFailed(off, 'The clip is damaged.', 'clip')!.events;
  assert.ok(failed?.type === 'submission.media.failed');
  assert.deepEqual([failed.submission.mediaStatus, failed.submission.mediaError], ['failed', 'The clip is damaged.']);
  const [made] = onMediaProcessed(off, media, now)!.events;
  assert.ok(made?.type === 'submission.media.completed');
  assert.deepEqual([made.submission.mediaStatus, made.submission.video], ['ready', media.video]);
});

test('a clip outside interviews completes its response; an answer of an interview may leave it incomplete', () => {
  const [, whole] = landedEvents(landed());
  assert.deepEqual(whole?.type === 'response.completed' && whole.submissionIds, [landed().id]);
  assert.deepEqual(
    landedEvents(landed({ interview: true })).map(({ type }) => type),
    ['submission.completed', 'submission.media.requested'],
  );
});

test('the event of a completed transcript carries its text', () => {
  const requested = landed({ transcriptRequest: 1, job: undefined });
  const change = onTranscriptEnded({ ...requested, transcriptStatus: 'processing' }, 1, {
    ...{ text: 'hello', vtt: 'WEBVTT', language: 'en' },
  })!;
  assert.deepEqual(types(change), ['submission.transcript.completed']);
  const [event] = change.events;
  assert.ok(event?.type === 'submission.transcript.completed');
  const { transcriptText, transcriptStatus, language } = event.submission;
  assert.deepEqual([transcriptText, transcriptStatus, language], ['hello', 'completed', 'en']);
});

test('a transcript is recorded once, even for an older request or after a failure', () => {
  for (const transcriptStatus of ['pending', 'processing', 'failed'] as const) {
    const requested = landed({ transcriptRequest: 2, transcriptStatus, mediaStatus: 'ready', audio: object('audio') });
    const change = onTranscriptEnded(requested, 1, { text: 'hello', vtt: 'WEBVTT' })!;
    assert.deepEqual([change.set.transcriptStatus, change.set.job], ['completed', undefined]);
    assert.deepEqual(types(change), ['submission.transcript.completed']);
    assert.equal(onTranscriptEnded({ ...requested, ...change.set }, 2, { text: 'hello', vtt: 'WEBVTT' }), undefined);
  }
  for (const transcriptStatus of ['none', 'disabled'] as const)
    assert.equal(onTranscriptEnded(landed({ transcriptStatus }), 0, { text: 'hello', vtt: 'WEBVTT' }), undefined);
});

test('a failure for an older request, or for none, is dropped', () => {
  const requested = landed({ transcriptRequest: 2, job: undefined });
  assert.equal(onTranscriptEnded(requested, 1, { reason: 'late', fault: 'clip' }), undefined);
  assert.equal(
    onTranscriptEnded(landed({ transcriptStatus: 'completed' }), 0, { reason: 'late', fault: 'clip' }),
    undefined,
  );
});

test('a new request sets a failed transcript to pending and removes its error', () => {
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
