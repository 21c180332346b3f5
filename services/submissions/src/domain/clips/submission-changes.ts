import { newJob } from '../jobs/job.ts';
import type { Change, Fault, JobKind, StoredObject, Submission, SubmissionEvent } from './submission.ts';

/**
 * Returns the events of a submission that lands. The write that stores the clip also creates its media job. Outside
 * interviews, the clip completes its response.
 */
export const landedEvents = (submission: Submission): SubmissionEvent[] => [
  { type: 'submission.completed', submission },
  ...(submission.interview ? [] : [responseCompleted(submission, [submission.id])]),
  jobRequested('media', submission),
];

/**
 * Returns the event that wakes a worker. It is written together with the waiting job, so it is published only when the
 * job can be taken. Workers also poll, so the loss of an event delays the job by at most one poll
 * (`packages/events/src/worker.ts`).
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

export const askMedia = (submission: Pick<Submission, 'id' | 'projectId'>, now: Date): Change => ({
  set: { mediaStatus: 'processing', mediaError: undefined, job: newJob('media', now) },
  events: [jobRequested('media', submission)],
});

export interface ProcessedMedia {
  /** Undefined when the upload remains the video. */
  video: StoredObject | undefined;
  audio: StoredObject | undefined;
  thumbnails: StoredObject[];
  durationSec: number | undefined;
  /** True if the clip has sound, even when no audio file could be made. */
  hasSound: boolean;
  /** A sentence for the owner that names the parts that could not be made. */
  problem: string | undefined;
}

const NO_JOB = { job: undefined } satisfies Partial<Submission>;
const UNREADABLE_SOUND = 'The sound of this clip could not be read.';

/**
 * Records the media worker's result, even if the media was marked as failed before. Requests the transcript if it
 * waited for the media or failed because of it. Returns undefined when the media is already recorded.
 */
export function onMediaProcessed(submission: Submission, media: ProcessedMedia, now: Date): Change | undefined {
  if (submission.mediaStatus === 'ready') return undefined;
  const change = mediaRecorded(submission, media, now);
  if (change.set.mediaStatus === 'ready') return announced('submission.media.completed', submission, change);
  // An earlier change has already announced the failure.
  if (submission.mediaStatus === 'failed') return change;
  return { ...announced('submission.media.failed', submission, change), fault: 'clip' };
}

/** Records each part that exists, even when the others could not be made. */
function mediaRecorded(submission: Submission, media: ProcessedMedia, now: Date): Change {
  const audio = media.audio ?? submission.audio;
  const thumbnails = media.thumbnails.length > 0 ? media.thumbnails : submission.thumbnails;
  const isReady = thumbnails.length > 0 && (audio !== undefined || !media.hasSound);
  const set: Partial<Submission> = {
    ...NO_JOB,
    mediaStatus: isReady ? 'ready' : 'failed',
    mediaError: media.problem,
    // A video that an earlier job stored remains valid.
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
  // An earlier change has already announced the failure of the transcript.
  return isPending ? withTranscriptEvent(submission, failed) : { set: failed, events: [] };
}

/** Returns whether the transcript failed because the media, or only its sound, could not be made. */
export const failedWithMedia = ({
  mediaStatus,
  mediaError,
  transcriptStatus,
  transcriptError,
}: Pick<Submission, 'mediaStatus' | 'mediaError' | 'transcriptStatus' | 'transcriptError'>): boolean =>
  transcriptStatus === 'failed' &&
  (transcriptError === UNREADABLE_SOUND || (mediaStatus === 'failed' && transcriptError === mediaError));

/** Records that the media failed. A transcript that waited for the media fails too. */
export function onMediaFailed(submission: Submission, reason: string, fault: Fault): Change | undefined {
  if (submission.mediaStatus !== 'processing') return undefined;
  const set: Partial<Submission> = { ...NO_JOB, mediaStatus: 'failed', mediaError: reason };
  const change =
    submission.transcriptStatus === 'pending'
      ? withTranscriptEvent(submission, { ...set, transcriptStatus: 'failed', transcriptError: reason })
      : { set, events: [] };
  return { ...announced('submission.media.failed', submission, change), fault };
}

/** Puts the event of the media before the other events of the change. */
const announced = (
  type: 'submission.media.completed' | 'submission.media.failed',
  submission: Submission,
  { set, events }: Change,
): Change => ({ set, events: [{ type, submission: { ...submission, ...set } }, ...events] });

export type TranscriptOutcome = { text: string; vtt: string; language?: string | undefined } | Failure;

/** `reason` is a sentence for the owner. */
interface Failure {
  reason: string;
  fault: Fault;
}

/**
 * Records the transcript, or the reason why there is none. Accepts one transcript, even for an older request or after a
 * failure. Accepts a failure only for the last request. Returns undefined if there is nothing to record.
 */
export function onTranscriptEnded(
  submission: Submission,
  request: number,
  outcome: TranscriptOutcome,
): Change | undefined {
  const waiting = submission.transcriptStatus === 'pending' || submission.transcriptStatus === 'processing';
  if ('reason' in outcome) {
    if (!waiting || submission.transcriptRequest !== request) return undefined;
    const set = { ...NO_JOB, transcriptStatus: 'failed' as const, transcriptError: outcome.reason };
    return { ...withTranscriptEvent(submission, set), fault: outcome.fault };
  }
  if (!waiting && submission.transcriptStatus !== 'failed') return undefined;
  return withTranscriptEvent(submission, {
    // A late transcript must not end the job that makes the media again.
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
