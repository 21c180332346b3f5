import type { Invitation } from '@recording-request/proto/projects/v1/projects';
import { MediaStatus, type Submission, TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { submissionUrl } from '../addresses.ts';
import { isoDate } from '../dates.ts';
import { isAnswerMode, type MediaStatusName, type TranscriptStatusName } from '../resources/fields.ts';
import type { SubmissionJson } from '../resources/submission.ts';
import { presentRecipient } from './recipient.ts';

export interface SubmissionContext {
  /** The public address of the whole service, without a slash at its end. */
  baseUrl: string;
  projectName: string;
  /** The owner's statements about the clip's link; see invitations.ts. */
  invitation?: Invitation | undefined;
}

const TRANSCRIPT_NAMES: Record<number, TranscriptStatusName> = {
  [TranscriptStatus.TRANSCRIPT_STATUS_PENDING]: 'pending',
  [TranscriptStatus.TRANSCRIPT_STATUS_PROCESSING]: 'processing',
  [TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED]: 'completed',
  [TranscriptStatus.TRANSCRIPT_STATUS_FAILED]: 'failed',
  [TranscriptStatus.TRANSCRIPT_STATUS_DISABLED]: 'disabled',
};

const TRANSCRIPT_VALUES: Record<TranscriptStatusName, TranscriptStatus> = {
  pending: TranscriptStatus.TRANSCRIPT_STATUS_PENDING,
  processing: TranscriptStatus.TRANSCRIPT_STATUS_PROCESSING,
  completed: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED,
  failed: TranscriptStatus.TRANSCRIPT_STATUS_FAILED,
  disabled: TranscriptStatus.TRANSCRIPT_STATUS_DISABLED,
};

const MEDIA_NAMES: Record<number, SubmissionJson['mediaStatus']> = {
  [MediaStatus.MEDIA_STATUS_READY]: 'ready',
  [MediaStatus.MEDIA_STATUS_FAILED]: 'failed',
};

const MEDIA_VALUES: Record<MediaStatusName, MediaStatus> = {
  processing: MediaStatus.MEDIA_STATUS_PROCESSING,
  ready: MediaStatus.MEDIA_STATUS_READY,
  failed: MediaStatus.MEDIA_STATUS_FAILED,
};

/** Returns the status that a name in the query of a list means; undefined (any) without a name. */
export const mediaStatusOf = (name: MediaStatusName | undefined): MediaStatus | undefined => name && MEDIA_VALUES[name];

/** Returns null for a clip without an audio track. */
export const transcriptStatusName = (status: TranscriptStatus): TranscriptStatusName | null =>
  TRANSCRIPT_NAMES[status] ?? null;

/** Returns the status that a name in the query of a list means; unspecified (any) without a name. */
export const transcriptStatusOf = (name: TranscriptStatusName | undefined): TranscriptStatus =>
  name === undefined ? TranscriptStatus.TRANSCRIPT_STATUS_UNSPECIFIED : TRANSCRIPT_VALUES[name];

/** Presents a Submission. Only this function rounds `durationSec` to whole seconds. */
export function presentSubmission(submission: Submission, context: SubmissionContext): SubmissionJson {
  const url = submissionUrl(context.baseUrl, submission.projectId, submission.submissionId);
  const { terms, hasThumbnails } = submission;
  const { invitation } = context;
  return {
    submissionId: submission.submissionId,
    videoId: submission.videoId,
    tokenId: submission.linkId || null,
    projectId: submission.projectId,
    projectName: context.projectName,
    responseSessionId: submission.responseSessionId ?? null,
    questionIndex: submission.questionIndex ?? null,
    questionText: submission.questionText ?? null,
    createdAt: isoDate(submission.createdAt, 'createdAt'),
    durationSec: submission.durationSec === undefined ? null : Math.round(submission.durationSec),
    fileSize: submission.fileSize ?? null,
    mimeType: submission.mimeType ?? null,
    note: submission.note ?? null,
    reviewNote: submission.reviewNote ?? null,
    selected: submission.selected,
    transcriptStatus: transcriptStatusName(submission.transcriptStatus),
    transcriptText: submission.transcriptText ?? null,
    transcriptVtt: submission.transcriptVtt ?? null,
    transcriptError: submission.transcriptError ?? null,
    termsAccepted: terms !== undefined,
    transcriptTextUrl: `${url}/transcript.txt`,
    transcriptVttUrl: `${url}/transcript.vtt`,
    videoUrl: `${url}/video`,
    thumbnailStartUrl: hasThumbnails ? `${url}/thumbnail-start` : null,
    thumbnailMiddleUrl: hasThumbnails ? `${url}/thumbnail-middle` : null,
    thumbnailEndUrl: hasThumbnails ? `${url}/thumbnail-end` : null,
    audioUrl: submission.hasAudio ? `${url}/audio` : null,
    mediaStatus: MEDIA_NAMES[submission.mediaStatus] ?? 'processing',
    mediaError: submission.mediaError ?? null,
    incomplete: submission.incomplete,
    sha256: submission.sha256 || null,
    terms: terms ? { sha256: terms.sha256, acceptedAt: isoDate(terms.acceptedAt, 'terms.acceptedAt') } : null,
    language: submission.language || null,
    responseId: submission.responseId,
    recipient: presentRecipient(invitation),
    metadata: invitation?.metadata ?? {},
    late: isLate(submission, invitation),
    changedAt: isoDate(submission.changedAt ?? submission.createdAt, 'changedAt'),
    sandbox: submission.sandbox ?? false,
    rating: submission.rating ?? null,
    answerMode: isAnswerMode(submission.answerMode) ? submission.answerMode : null,
    signed: submission.signed ?? false,
  };
}

const isLate = ({ createdAt }: Submission, { dueAt }: Partial<Invitation> = {}): boolean =>
  createdAt !== undefined && dueAt !== undefined && createdAt > dueAt;
