import type { Change, Inspection, StoredObject, Submission, SubmissionEvent } from './submission.ts';

/** The events of a submission that lands: the owner's, and the request for its media. */
export const landedEvents = (submission: Submission, inspection: Inspection | undefined): SubmissionEvent[] => [
  { type: 'submission.completed', submission },
  { type: 'submission.media.requested', submission, inspection },
];

/** Requests the transcript: the first time, again, or because the result is overdue. */
export function askTranscript(submission: Submission, now: Date): Change {
  const requestNumber = submission.transcriptRequest + 1;
  return {
    set: { transcriptStatus: 'pending', transcriptError: undefined, transcriptRequest: requestNumber, askedAt: now },
    events: [{ type: 'submission.transcript.requested', submission, requestNumber }],
  };
}

/** Requests the media again. */
export function askMedia(submission: Submission, now: Date): Change {
  return {
    set: { mediaStatus: 'processing', mediaError: undefined, mediaAsks: submission.mediaAsks + 1, askedAt: now },
    events: [{ type: 'submission.media.requested', submission, inspection: undefined }],
  };
}

export interface ProcessedMedia {
  video: StoredObject;
  audio: StoredObject | undefined;
  thumbnails: StoredObject[];
  durationSec: number | undefined;
  /** Whether the clip has sound, also where none could be made of it. */
  hasSound: boolean;
}

/** Records what the media worker made. Undefined where it is recorded already. */
export function onMediaProcessed(submission: Submission, media: ProcessedMedia, now: Date): Change | undefined {
  if (submission.mediaStatus === 'ready') return undefined;
  const set: Partial<Submission> = {
    mediaStatus: 'ready',
    mediaError: undefined,
    video: media.video,
    audio: media.audio,
    thumbnails: media.thumbnails,
    durationSec: media.durationSec ?? submission.durationSec,
  };
  if (submission.transcriptStatus !== 'pending') return { set, events: [] };
  if (!media.audio && media.hasSound)
    return withTranscriptEvent(submission, {
      ...set,
      transcriptStatus: 'failed',
      transcriptError: 'The sound of this clip could not be read.',
    });
  if (!media.audio) return { set: { ...set, transcriptStatus: 'none' }, events: [] };
  const ask = askTranscript({ ...submission, ...set }, now);
  return { set: { ...set, ...ask.set }, events: ask.events };
}

/** The media cannot be made: a transcript that waited for it fails with it. */
export function onMediaFailed(submission: Submission, reason: string): Change | undefined {
  if (submission.mediaStatus !== 'processing') return undefined;
  const set: Partial<Submission> = { mediaStatus: 'failed', mediaError: reason };
  if (submission.transcriptStatus !== 'pending') return { set, events: [] };
  return withTranscriptEvent(submission, { ...set, transcriptStatus: 'failed', transcriptError: reason });
}

export function onTranscriptStarted(submission: Submission, request: number): Change | undefined {
  if (submission.transcriptStatus !== 'pending' || submission.transcriptRequest !== request) return undefined;
  return { set: { transcriptStatus: 'processing' }, events: [] };
}

export type TranscriptOutcome = { text: string; vtt: string } | { reason: string };

/** Records the transcript, or why there is none. Undefined for an answer that is stale or recorded already. */
export function onTranscriptEnded(
  submission: Submission,
  request: number,
  outcome: TranscriptOutcome,
): Change | undefined {
  const waiting = submission.transcriptStatus === 'pending' || submission.transcriptStatus === 'processing';
  if (!waiting || submission.transcriptRequest !== request) return undefined;
  return withTranscriptEvent(
    submission,
    'reason' in outcome
      ? { transcriptStatus: 'failed', transcriptError: outcome.reason }
      : {
          transcriptStatus: 'completed',
          transcriptText: outcome.text,
          transcriptVtt: outcome.vtt,
          transcriptError: undefined,
        },
  );
}

/** Requests work again whose result is overdue, or records its failure after `asksMax` requests. */
export function onResultOverdue(submission: Submission, asksMax: number, now: Date): Change | undefined {
  if (submission.mediaStatus === 'processing') {
    return submission.mediaAsks >= asksMax
      ? onMediaFailed(submission, 'The clip could not be processed in several tries; the upload is kept as it came.')
      : askMedia(submission, now);
  }
  if (submission.transcriptStatus !== 'pending' && submission.transcriptStatus !== 'processing') return undefined;
  return submission.transcriptRequest >= asksMax || !submission.audio
    ? onTranscriptEnded(submission, submission.transcriptRequest, {
        reason: 'The transcript could not be made in several tries.',
      })
    : askTranscript(submission, now);
}

function withTranscriptEvent(submission: Submission, set: Partial<Submission>): Change {
  const type =
    set.transcriptStatus === 'completed' ? 'submission.transcript.completed' : 'submission.transcript.failed';
  return { set, events: [{ type, submission: { ...submission, ...set } }] };
}
