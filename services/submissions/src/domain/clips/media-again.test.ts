import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landed, now, object } from '../../../test/landed-submission.ts';
import { askMediaAgain } from './media-again.ts';
import type { Submission } from './submission.ts';
import { onMediaFailed, onMediaProcessed, onTranscriptEnded } from './submission-changes.ts';

const clip = (fields: Partial<Submission>) => landed({ transcriptStatus: 'disabled', job: undefined, ...fields });
const requested = (submission: Submission): Submission => ({ ...submission, ...askMediaAgain(submission, now).set });
const MADE = {
  ...{ video: object('video'), audio: object('audio'), thumbnails: [object('t')], durationSec: 3, hasSound: true },
  problem: undefined,
};

test('media that failed, or that is ready with parts missing, is made again from the upload', () => {
  for (const lacking of [
    clip({ mediaStatus: 'failed', mediaError: 'The clip is damaged.' }),
    clip({ mediaStatus: 'failed', mediaError: 'no thumbnails', video: object('video'), audio: object('audio') }),
    clip({ mediaStatus: 'ready', mediaError: 'a copy would lose a track', thumbnails: [object('t')] }),
  ]) {
    const after = requested(lacking);
    assert.deepEqual([after.mediaStatus, after.mediaError, after.job?.kind], ['processing', undefined, 'media']);
    assert.equal(after.transcriptStatus, 'disabled');
    const [event] = onMediaProcessed(after, MADE, now)!.events;
    assert.equal(event?.type, 'submission.media.completed', 'like after the first run');
    assert.equal(onMediaFailed(after, 'again', 'clip')?.events[0]?.type, 'submission.media.failed');
  }
});

test('a transcript that failed with the media is requested again; one that failed by itself, or is complete, stays', () => {
  const fields = { mediaStatus: 'failed', mediaError: 'The clip is damaged.', transcriptStatus: 'failed' } as const;
  for (const transcriptError of ['The clip is damaged.', 'The sound of this clip could not be read.']) {
    const after = requested(clip({ ...fields, transcriptError }));
    assert.deepEqual([after.transcriptStatus, after.transcriptError], ['pending', undefined]);
    assert.equal(onMediaProcessed(after, MADE, now)?.set.job?.kind, 'transcript', 'it is the next job');
  }
  const other = requested(clip({ ...fields, transcriptError: 'The transcript could not be made in several tries.' }));
  assert.equal(other.transcriptStatus, 'failed');
  const done = requested(clip({ ...fields, transcriptStatus: 'completed', transcriptText: 'hello' }));
  assert.deepEqual([done.transcriptStatus, done.transcriptText], ['completed', 'hello']);
});

test('it is a conflict when nothing failed, when a transcript is being made, and when the upload is gone', () => {
  const refused = (fields: Partial<Submission>, message: RegExp, reason?: string) =>
    assert.throws(() => askMediaAgain(clip(fields), now), { code: 'conflict', message, reason });
  refused({ mediaStatus: 'processing' }, /being made already/, 'media_not_failed');
  refused({ mediaStatus: 'ready', video: object('video') }, /nothing to make again/, 'media_not_failed');
  for (const transcriptStatus of ['pending', 'processing'] as const)
    refused(
      { mediaStatus: 'ready', mediaError: 'x', audio: object('a'), transcriptStatus },
      /transcript .* being made/,
    );
  refused({ mediaStatus: 'failed', mediaError: 'x', source: undefined }, /upload of this clip is not kept/);
  refused({ mediaStatus: 'ready', mediaError: 'x', video: object('video') }, /upload of this clip is not kept/);
});

test('a late transcript does not end the job that makes the media again', () => {
  const fields = {
    mediaStatus: 'failed',
    transcriptStatus: 'failed',
    transcriptError: 'x',
    audio: object('a'),
  } as const;
  const after = requested(clip(fields));
  const late = onTranscriptEnded(after, 0, { text: 'hello', vtt: '' })!;
  assert.equal(late.set.transcriptStatus, 'completed');
  assert.equal({ ...after, ...late.set }.job?.kind, 'media');
});
