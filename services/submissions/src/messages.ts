import { newEvent } from '@recording-request/events/event';
import { areLong } from '@recording-request/events/long-texts';
import { answerId } from '@recording-request/kit/ids';
import type { Event } from '@recording-request/proto/events/v1/events';
import {
  MediaStatus,
  type SubmissionCounts,
  type SubmissionFilter,
  type Submission as SubmissionMessage,
  TranscriptStatus,
} from '@recording-request/proto/submissions/v1/submissions';
import type { TakeJobResponse } from '@recording-request/proto/work/v1/work';
import {
  type Counts,
  currentVideo,
  type Filter,
  type Submission,
  type SubmissionEvent,
  type TranscriptState,
} from './domain/clips/submission.ts';

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

/** Returns a submission in the form that gRPC responses and events contain. */
export function toMessage(submission: Submission): SubmissionMessage {
  const video = currentVideo(submission);
  return {
    submissionId: submission.id,
    // A clip has one video, so both ids of the contract identify the clip.
    videoId: submission.id,
    linkId: submission.linkId,
    link: submission.link,
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
    terms: submission.terms && { ...submission.terms, text: '' },
    hasThumbnails: submission.thumbnails.length > 0,
    hasAudio: submission.audio !== undefined,
    mediaStatus: MEDIA_STATUS[submission.mediaStatus],
    mediaError: submission.mediaError,
    incomplete: submission.incomplete,
    sha256: submission.sha256,
    language: submission.language || undefined,
    responseId: submission.responseId,
    changedAt: submission.changedAt,
    sandbox: submission.sandbox,
    rating: submission.rating,
    answerMode: submission.answerMode,
    signed: submission.signed,
  };
}

/** Returns the transcript status that a filter selects; undefined for any. */
function transcriptStateOf(status: TranscriptStatus): TranscriptState | undefined {
  if (status === TranscriptStatus.TRANSCRIPT_STATUS_UNSPECIFIED) return undefined;
  return (Object.keys(TRANSCRIPT_STATUS) as TranscriptState[]).find(state => TRANSCRIPT_STATUS[state] === status);
}

/** Returns the media status that a filter selects; undefined for any. */
export const mediaStatusOf = (status: MediaStatus | undefined): Submission['mediaStatus'] | undefined =>
  (Object.keys(MEDIA_STATUS) as Submission['mediaStatus'][]).find(state => MEDIA_STATUS[state] === status);

/** Returns the filter of a request. */
export const filterOf = (filter: SubmissionFilter | undefined): Pick<Filter, 'selected' | 'transcriptStatus'> => ({
  selected: filter?.selected,
  transcriptStatus: filter && transcriptStateOf(filter.transcriptStatus),
});

/** Returns the counts in the form of the contract: processing counts as pending. */
export const countsOf = ({ total, selected, byTranscript }: Counts): SubmissionCounts => ({
  videosCreated: total,
  selectedVideos: selected,
  transcriptCompleted: byTranscript.completed ?? 0,
  transcriptPending: (byTranscript.pending ?? 0) + (byTranscript.processing ?? 0),
  transcriptFailed: byTranscript.failed ?? 0,
});

/** Returns the event to publish, with the current time and trace. */
export const toEvent = (event: SubmissionEvent): Event => newEvent(event.type, payloadOf(event), idOf(event));

/** Returns a job that was just started, in the form that its worker gets. */
export const toJob = (submission: Submission): Omit<TakeJobResponse, 'leaseMs'> => ({
  job: workOf(submission),
  earlierRuns: submission.job!.runs! - 1,
  askedIn: submission.job!.trace,
  landedIn: submission.trace,
});

function workOf(submission: Submission): TakeJobResponse['job'] {
  const { projectId, id: submissionId, source, audio, durationSec = 0 } = submission;
  const { kind, attempts, inspection } = submission.job!;
  if (kind === 'transcript') {
    const { transcriptRequest: requestNumber, transcriptionLanguage } = submission;
    const audioOf = { audioKey: audio!.key, durationSec, language: transcriptionLanguage || undefined };
    return { $case: 'transcript', value: { projectId, submissionId, requestNumber, ...audioOf } };
  }
  const { key: sourceKey, parts } = source!;
  // After a failed attempt, the worker inspects the bytes itself, because the inspection at the landing may be wrong.
  const believed = attempts === 1 ? inspection : undefined;
  const value = { projectId, submissionId, sourceKey, sourceParts: parts && { parts }, inspection: believed };
  return { $case: 'media', value };
}

/** Returns a stable event id for a completed response, so that repeated announcements are one event. */
function idOf(event: SubmissionEvent): string | undefined {
  if (event.type !== 'response.completed') return undefined;
  const { responseId, linkId } = event.submission;
  return answerId(responseId, `${event.type}\n${linkId}`);
}

/** The event is part of the write that changes the submission, so it cannot contain the time of the write. */
const changedNow = (submission: Submission): SubmissionMessage => toMessage({ ...submission, changedAt: new Date() });

function payloadOf(event: SubmissionEvent): NonNullable<Event['payload']> {
  switch (event.type) {
    case 'submission.completed':
      return { $case: 'submissionCompleted', value: { submission: changedNow(event.submission) } };
    case 'submission.transcript.completed':
    case 'submission.transcript.failed': {
      const submission = changedNow(event.submission);
      if (!areLong(submission.transcriptText, submission.transcriptVtt))
        return { $case: 'submissionTranscript', value: { submission } };
      const short = { ...submission, transcriptText: undefined, transcriptVtt: undefined };
      return { $case: 'submissionTranscriptByReference', value: { submission: short } };
    }
    case 'submission.media.completed':
    case 'submission.media.failed': {
      const submission = changedNow(event.submission);
      const withoutTexts = areLong(submission.transcriptText, submission.transcriptVtt);
      const texts = withoutTexts ? { transcriptText: undefined, transcriptVtt: undefined } : {};
      return { $case: 'submissionMedia', value: { submission: { ...submission, ...texts }, withoutTexts } };
    }
    case 'response.completed': {
      const { id: submissionId, projectId, linkId, responseId: responseSessionId } = event.submission;
      const { submissionIds } = event;
      const value = { projectId, submissionId, linkId, responseSessionId, submissionIds };
      return { $case: 'responseCompleted', value };
    }
    case 'submission.media.requested':
    case 'submission.transcript.requested': {
      const { projectId, id: submissionId } = event.submission;
      return { $case: 'jobRequested', value: { projectId, submissionId } };
    }
    case 'submission.erased': {
      const { projectId, submissionId } = event;
      return { $case: 'submissionErased', value: { projectId, submissionId } };
    }
    case 'submission.erasure': {
      const { projectId, submissionId, erasedAt } = event;
      return { $case: 'submissionErasure', value: { projectId, submissionId, erasedAt } };
    }
  }
}
