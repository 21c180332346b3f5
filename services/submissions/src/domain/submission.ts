import { newEvent } from '@recording-request/events/event';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { Inspection } from '@recording-request/proto/media/v1/media';
import {
  MediaStatus,
  type Submission as SubmissionMessage,
  TranscriptStatus,
} from '@recording-request/proto/submissions/v1/submissions';

export type TranscriptState = 'none' | 'disabled' | 'pending' | 'processing' | 'completed' | 'failed';

/** An object of the store, as it was measured when it was written. */
export interface StoredObject {
  key: string;
  size: number;
  mimeType: string;
  sha256: string;
  crc32: number | undefined;
}

/** A clip that landed. */
export interface Submission {
  id: string;
  projectId: string;
  ownerId: string;
  linkId: string;
  responseId: string;
  interview: boolean;
  questionIndex: number;
  questionText: string | undefined;
  createdAt: Date;
  changedAt: Date;
  durationSec: number | undefined;
  note: string | undefined;
  reviewNote: string | undefined;
  selected: boolean;
  transcriptStatus: TranscriptState;
  transcriptText: string | undefined;
  transcriptVtt: string | undefined;
  transcriptError: string | undefined;
  /** How often a transcript was asked for: an answer to an older request is stale. */
  transcriptRequest: number;
  terms: { sha256: string; text: string; acceptedAt: Date } | undefined;
  mediaStatus: 'processing' | 'ready' | 'failed';
  mediaError: string | undefined;
  mediaAsks: number;
  /** When the last work was asked for: what is older than a bound is asked again. */
  askedAt: Date;
  /** The upload as it came, until the remux is recorded. */
  source: StoredObject | undefined;
  video: StoredObject | undefined;
  audio: StoredObject | undefined;
  thumbnails: StoredObject[];
  incomplete: boolean;
  /** Hex, of the bytes as uploaded. */
  sha256: string;
}

/** What a change does: fields that become new, and events that tell of it. */
export interface Change {
  set: Partial<Submission>;
  events: Event[];
}

const TRANSCRIPT_STATUS: Record<TranscriptState, TranscriptStatus> = {
  none: TranscriptStatus.TRANSCRIPT_STATUS_UNSPECIFIED,
  disabled: TranscriptStatus.TRANSCRIPT_STATUS_DISABLED,
  pending: TranscriptStatus.TRANSCRIPT_STATUS_PENDING,
  processing: TranscriptStatus.TRANSCRIPT_STATUS_PROCESSING,
  completed: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED,
  failed: TranscriptStatus.TRANSCRIPT_STATUS_FAILED,
};

const MEDIA_STATUS = {
  processing: MediaStatus.MEDIA_STATUS_PROCESSING,
  ready: MediaStatus.MEDIA_STATUS_READY,
  failed: MediaStatus.MEDIA_STATUS_FAILED,
} as const;

/** The object that the video route serves: the remux once it is recorded, the upload as it came until then. */
export const currentVideo = (submission: Submission): StoredObject | undefined => submission.video ?? submission.source;

/** A submission as services tell it to each other. */
export function toMessage(submission: Submission): SubmissionMessage {
  const video = currentVideo(submission);
  return {
    submissionId: submission.id,
    // One clip, one video: the two ids of the contract name the same thing.
    videoId: submission.id,
    linkId: submission.linkId,
    projectId: submission.projectId,
    ownerId: submission.ownerId,
    responseSessionId: submission.interview ? submission.responseId : undefined,
    questionIndex: submission.interview ? submission.questionIndex : undefined,
    questionText: submission.interview ? submission.questionText : undefined,
    createdAt: submission.createdAt,
    durationSec: submission.durationSec,
    fileSize: video?.size,
    mimeType: video?.mimeType,
    note: submission.note || undefined,
    reviewNote: submission.reviewNote || undefined,
    selected: submission.selected,
    transcriptStatus: TRANSCRIPT_STATUS[submission.transcriptStatus],
    transcriptText: submission.transcriptText,
    transcriptVtt: submission.transcriptVtt,
    transcriptError: submission.transcriptError,
    terms: submission.terms,
    hasThumbnails: submission.thumbnails.length === 3,
    hasAudio: submission.audio !== undefined,
    mediaStatus: MEDIA_STATUS[submission.mediaStatus],
    mediaError: submission.mediaError,
    incomplete: submission.incomplete,
    sha256: submission.sha256,
  };
}

/** The names under which the store keeps what a filter asks for; undefined means any. */
export function transcriptStateOf(status: TranscriptStatus): TranscriptState | undefined {
  if (status === TranscriptStatus.TRANSCRIPT_STATUS_UNSPECIFIED) return undefined;
  return (Object.keys(TRANSCRIPT_STATUS) as TranscriptState[]).find(state => TRANSCRIPT_STATUS[state] === status);
}

/** What a submission says of itself when it lands: the owner's event, and the work it asks for. */
export function landedEvents(submission: Submission, inspection: Inspection | undefined): Event[] {
  return [
    newEvent('submission.completed', {
      $case: 'submissionCompleted',
      value: { submission: toMessage(submission) },
    }),
    mediaRequested(submission, inspection),
  ];
}

export function mediaRequested(submission: Submission, inspection?: Inspection): Event {
  return newEvent('submission.media.requested', {
    $case: 'mediaRequested',
    value: {
      projectId: submission.projectId,
      submissionId: submission.id,
      sourceKey: submission.source!.key,
      inspection,
    },
  });
}

function transcriptRequested(submission: Submission, request: number): Event {
  return newEvent('submission.transcript.requested', {
    $case: 'transcriptRequested',
    value: {
      projectId: submission.projectId,
      submissionId: submission.id,
      audioKey: submission.audio!.key,
      durationSec: submission.durationSec ?? 0,
      requestNumber: request,
    },
  });
}

/** Asks for the transcript: the first time, again, or because an answer stayed away. */
export function askTranscript(submission: Submission, now: Date): Change {
  const request = submission.transcriptRequest + 1;
  return {
    set: { transcriptStatus: 'pending', transcriptError: undefined, transcriptRequest: request, askedAt: now },
    events: [transcriptRequested(submission, request)],
  };
}

/** Asks for the media once more. */
export function askMedia(submission: Submission, now: Date): Change {
  return {
    set: { mediaStatus: 'processing', mediaError: undefined, mediaAsks: submission.mediaAsks + 1, askedAt: now },
    events: [mediaRequested(submission)],
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

/** What the media worker made. Undefined where it is recorded already. */
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

/** The transcript, or why there is none. Undefined for an answer that is stale or recorded already. */
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

function withTranscriptEvent(submission: Submission, set: Partial<Submission>): Change {
  const type =
    set.transcriptStatus === 'completed' ? 'submission.transcript.completed' : 'submission.transcript.failed';
  const value = { submission: toMessage({ ...submission, ...set }) };
  return { set, events: [newEvent(type, { $case: 'submissionTranscript', value })] };
}
