import { newJob } from '../jobs/job.ts';
import type { Change, JobKind, StoredObject, Submission, SubmissionEvent } from './submission.ts';

/**
 * The events of a submission that lands. Its media is made by the job that it has from the start. Outside interviews its
 * response is whole with it.
 */
export const landedEvents = (submission: Submission): SubmissionEvent[] => [
  { type: 'submission.completed', submission },
  ...(submission.interview ? [] : [responseCompleted(submission, [submission.id])]),
  jobRequested('media', submission),
];

/**
 * Wakes a worker: written with the job that begins to wait, so that it is published after the job can be taken. Workers also look
 * by themselves, so that a lost one costs at most one of their polls (`packages/events/src/worker.ts`).
 */
export const jobRequested = (kind: JobKind, submission: Pick<Submission, 'id' | 'projectId'>): SubmissionEvent => ({
  type: `submission.${kind}.requested`,
  submission,
});

export const responseCompleted = (submission: Submission, submissionIds: string[]): SubmissionEvent => ({
  type: 'response.completed',
  submission,
  submissionIds,
});

/** Requests the transcript: the first time, or again. */
export function askTranscript(submission: Submission, now: Date): Change {
  return {
    set: {
      transcriptStatus: 'pending',
      transcriptError: undefined,
      transcriptRequest: submission.transcriptRequest + 1,
      job: newJob('transcript', now),
    },
    events: [jobRequested('transcript', submission)],
  };
}

/** Requests the media again. */
export const askMedia = (submission: Pick<Submission, 'id' | 'projectId'>, now: Date): Change => ({
  set: { mediaStatus: 'processing', mediaError: undefined, job: newJob('media', now) },
  events: [jobRequested('media', submission)],
});

export interface ProcessedMedia {
  /** Undefined where the upload stays the video. */
  video: StoredObject | undefined;
  audio: StoredObject | undefined;
  thumbnails: StoredObject[];
  durationSec: number | undefined;
  /** Whether the clip has sound, also where none could be made of it. */
  hasSound: boolean;
  /** For the owner: what could not be made. */
  problem: string | undefined;
}

const NO_JOB = { job: undefined } satisfies Partial<Submission>;
const UNREADABLE_SOUND = 'The sound of this clip could not be read.';

/**
 * Records what the media worker made, however late: also where the media had been given up, together with the transcript
 * that waited for it, which is then asked for. Undefined where it is recorded already.
 */
export function onMediaProcessed(submission: Submission, media: ProcessedMedia, now: Date): Change | undefined {
  if (submission.mediaStatus === 'ready') return undefined;
  const change = mediaRecorded(submission, media, now);
  if (change.set.mediaStatus === 'ready') return announced('submission.media.completed', submission, change);
  // Once.
  return submission.mediaStatus === 'failed' ? change : announced('submission.media.failed', submission, change);
}

/** Each part is recorded, whether or not the others could be made. */
function mediaRecorded(submission: Submission, media: ProcessedMedia, now: Date): Change {
  const audio = media.audio ?? submission.audio;
  const thumbnails = media.thumbnails.length > 0 ? media.thumbnails : submission.thumbnails;
  const isReady = thumbnails.length > 0 && (audio !== undefined || !media.hasSound);
  const set: Partial<Submission> = {
    ...NO_JOB,
    mediaStatus: isReady ? 'ready' : 'failed',
    mediaError: media.problem,
    // One that was equal to the upload in an earlier job still is.
    video: media.video ?? submission.video,
    audio,
    thumbnails,
    durationSec: media.durationSec ?? submission.durationSec,
  };
  const isPending = submission.transcriptStatus === 'pending';
  if (!isPending && !failedWithMedia(submission)) return { set, events: [] };
  if (set.audio) {
    const ask = askTranscript(submission, now);
    return { set: { ...set, ...ask.set }, events: ask.events };
  }
  if (!media.hasSound) return { set: { ...set, transcriptStatus: 'none', transcriptError: undefined }, events: [] };
  const failed = { ...set, transcriptStatus: 'failed' as const, transcriptError: UNREADABLE_SOUND };
  // Its failure was announced already.
  return isPending ? withTranscriptEvent(submission, failed) : { set: failed, events: [] };
}

/** Whether there is no transcript because the media, or its sound, could not be made. */
export const failedWithMedia = ({
  mediaStatus,
  mediaError,
  transcriptStatus,
  transcriptError,
}: Pick<Submission, 'mediaStatus' | 'mediaError' | 'transcriptStatus' | 'transcriptError'>): boolean =>
  transcriptStatus === 'failed' &&
  (transcriptError === UNREADABLE_SOUND || (mediaStatus === 'failed' && transcriptError === mediaError));

/** The media cannot be made: a transcript that waited for it fails with it. */
export function onMediaFailed(submission: Submission, reason: string): Change | undefined {
  if (submission.mediaStatus !== 'processing') return undefined;
  const set: Partial<Submission> = { ...NO_JOB, mediaStatus: 'failed', mediaError: reason };
  const change =
    submission.transcriptStatus === 'pending'
      ? withTranscriptEvent(submission, { ...set, transcriptStatus: 'failed', transcriptError: reason })
      : { set, events: [] };
  return announced('submission.media.failed', submission, change);
}

/** The change with the event of its media before its others. */
const announced = (
  type: 'submission.media.completed' | 'submission.media.failed',
  submission: Submission,
  { set, events }: Change,
): Change => ({ set, events: [{ type, submission: { ...submission, ...set } }, ...events] });

export type TranscriptOutcome = { text: string; vtt: string; language?: string | undefined } | { reason: string };

/**
 * Records the transcript, or why there is none. A transcript is taken also when it answers an older request or comes
 * after the failure, once; a failure only when it answers the last request. Undefined for nothing to record.
 */
export function onTranscriptEnded(
  submission: Submission,
  request: number,
  outcome: TranscriptOutcome,
): Change | undefined {
  const waiting = submission.transcriptStatus === 'pending' || submission.transcriptStatus === 'processing';
  if ('reason' in outcome)
    return waiting && submission.transcriptRequest === request
      ? withTranscriptEvent(submission, { ...NO_JOB, transcriptStatus: 'failed', transcriptError: outcome.reason })
      : undefined;
  if (!waiting && submission.transcriptStatus !== 'failed') return undefined;
  return withTranscriptEvent(submission, {
    // A late one does not end the job that makes the media again.
    ...(submission.mediaStatus === 'processing' ? {} : NO_JOB),
    transcriptStatus: 'completed',
    transcriptText: outcome.text,
    transcriptVtt: outcome.vtt,
    language: outcome.language || undefined,
    transcriptError: undefined,
  });
}

function withTranscriptEvent(submission: Submission, set: Partial<Submission>): Change {
  const type =
    set.transcriptStatus === 'completed' ? 'submission.transcript.completed' : 'submission.transcript.failed';
  return { set, events: [{ type, submission: { ...submission, ...set } }] };
}
