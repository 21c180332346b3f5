import { asDomainError, DomainError, type ErrorCode } from '@recording-request/kit/errors';
import { mimeTypeOf } from '../clips/media-types.ts';
import type { Inspection, LinkDetails, StoredPart, Submission } from '../clips/submission.ts';
import { newJob } from '../jobs/job.ts';
import { sourceKey, uploadPrefix } from '../object-keys.ts';
import { SMALLEST_VIDEO_BYTES } from './first-bytes.ts';
import type { Checksums, RefusalReason, Upload } from './upload.ts';

/** The fields of a response that a landing needs: its settings and its answers. */
export interface LandingResponse {
  settings?: { interviewQuestions: string[]; maxDurationSec: number; noteEnabled: boolean; sandbox?: boolean };
  terms?: { sha256: string; text: string; acceptedAt?: Date };
  answers: { submissionId: string }[];
  link?: LinkDetails | undefined;
}

/** The reason for refusing an upload. `error` is the sentence for the contributor. */
export interface Refusal {
  reason: RefusalReason;
  error: string;
}

/**
 * The result of the media service: its inspection (undefined when it did not respond in time), or the reason why the
 * bytes are not a video.
 */
export type Finding = { inspection: Inspection | undefined } | { notVideo: string };

export const ANSWERED: Refusal = {
  reason: 'answered',
  error: 'This question was answered already, here or on another device.',
};

/** The refusal of an upload whose size or first bytes already show that it is not a video. */
export const NO_VIDEO: Refusal = {
  reason: 'not_video',
  error: 'This file is not a video that we can play; please record or choose another one.',
};

/** The reason is `answered`, so that the client does not send the erased take again. */
export const ERASED: Refusal = {
  reason: 'answered',
  error: 'This take was removed by the operator of this service.',
};

/** The sentence for the contributor when a take ends as `failed` without a fault of the contributor. */
export const KEPT_SENTENCE = 'This take could not be taken in. It is kept for the operator of this service.';

// The errors of the projects service that a retry cannot change. A conflict is not among them, because another holder
// may release the use.
const FINAL: ReadonlySet<ErrorCode> = new Set(['invalid', 'forbidden', 'not_found', 'gone', 'unprocessable']);
const PASSING: ReadonlySet<ErrorCode> = new Set(['unavailable', 'timeout', 'cancelled', 'too_many']);

/** Returns the sentence for the contributor if the upload can never land after this error; otherwise undefined. */
export function finalSentence(error: unknown): string | undefined {
  return error instanceof DomainError && FINAL.has(error.code) ? error.message : undefined;
}

const PROBLEM_LENGTH = 500;

/** Returns the problem for the operator: the cause, if the error itself has only a sentence for the client. */
export function problemOf(error: unknown): string {
  const reason = error instanceof DomainError && error.cause instanceof Error ? error.cause : error;
  return (reason instanceof Error ? reason.message || reason.name : String(reason)).slice(0, PROBLEM_LENGTH);
}

/** Returns whether a landing failed without an outage of the services and stores that it needs. */
export const isFault = (error: unknown): boolean => !PASSING.has(asDomainError(error).code);

/** Returns whether an upload can be refused without an inspection. */
export const isNoVideo = ({ offset, isNoVideo = false }: Pick<Upload, 'offset' | 'isNoVideo'>): boolean =>
  isNoVideo || offset < SMALLEST_VIDEO_BYTES;

/** Returns whether the error says that the media service has no free slot. */
export const isBusy = (error: unknown): boolean => error instanceof DomainError && error.code === 'too_many';

/** Returns whether the error says that the store lacks some of the bytes. */
export const isMissing = (error: unknown): boolean => error instanceof DomainError && error.code === 'not_found';

/** Decides from the inspection whether the bytes may land. */
export function judge(
  finding: Finding,
  response: LandingResponse,
  submissionId: string,
  graceSec: number,
): { refusal: Refusal } | { inspection: Inspection | undefined } {
  const refusal = refusalOf(finding, response.settings?.maxDurationSec ?? Number.POSITIVE_INFINITY, graceSec);
  if (!refusal) return { inspection: 'inspection' in finding ? finding.inspection : undefined };
  // An earlier attempt may have delivered this clip without an inspection. The clip then stays in the response.
  const isAnswer = response.answers.some(answer => answer.submissionId === submissionId);
  return isAnswer ? { inspection: undefined } : { refusal };
}

function refusalOf(finding: Finding, maxDurationSec: number, graceSec: number): Refusal | undefined {
  if ('notVideo' in finding) return { reason: 'not_video', error: finding.notVideo };
  const error = finding.inspection && tooLong(finding.inspection.durationSec, maxDurationSec, graceSec);
  return error ? { reason: 'too_long', error } : undefined;
}

/** Returns the sentence that refuses a take longer than its link allows; undefined for other takes. */
export function tooLong(durationSec: number, maxDurationSec: number, graceSec: number): string | undefined {
  if (durationSec <= maxDurationSec + graceSec) return undefined;
  return `This take is ${Math.round(durationSec)} seconds long; record one of at most ${maxDurationSec} seconds.`;
}

/** The stored bytes of an upload that is landing. `parts` is absent when they were joined into one object. */
export type StoredBytes = Checksums & { parts?: StoredPart[] | undefined };

/** Returns the submission that an upload becomes. */
export function submissionOf(
  upload: Upload,
  response: LandingResponse,
  { sha256, crc32, parts }: StoredBytes,
  inspection: Inspection | undefined,
): Submission {
  const questions = response.settings?.interviewQuestions ?? [];
  const interview = questions.length > 0;
  const terms = response.terms;
  return {
    id: upload.submissionId!,
    projectId: upload.projectId,
    ownerId: upload.ownerId,
    linkId: upload.linkId,
    link: response.link,
    responseId: upload.responseId,
    interview,
    questionIndex: upload.questionIndex,
    questionText: interview ? questions[upload.questionIndex] : undefined,
    createdAt: upload.finishingAt!,
    changedAt: upload.finishingAt!,
    durationSec: inspection?.durationSec,
    note: (response.settings?.noteEnabled && upload.note) || undefined,
    reviewNote: undefined,
    selected: false,
    sandbox: response.settings?.sandbox || undefined,
    answerMode: upload.answerMode,
    signed: upload.signed || undefined,
    transcriptStatus: firstTranscriptState(upload.transcription, inspection),
    transcriptText: undefined,
    transcriptVtt: undefined,
    transcriptError: undefined,
    transcriptRequest: 0,
    transcriptionLanguage: upload.transcriptionLanguage,
    language: undefined,
    terms: terms?.acceptedAt && { sha256: terms.sha256, text: terms.text, acceptedAt: terms.acceptedAt },
    mediaStatus: 'processing',
    mediaError: undefined,
    job: newJob('media', upload.finishingAt!, inspection),
    source: {
      ...(parts
        ? { key: uploadPrefix(upload.id), uploadId: upload.id, parts }
        : { key: sourceKey(upload.projectId, upload.submissionId!) }),
      size: upload.offset,
      mimeType: mimeTypeOf(inspection?.container, upload.mimeType),
      sha256,
      crc32,
    },
    video: undefined,
    audio: undefined,
    thumbnails: [],
    incomplete: upload.incomplete,
    sha256,
    trace: upload.trace,
  };
}

function firstTranscriptState(wanted: boolean, inspection: Inspection | undefined): Submission['transcriptStatus'] {
  if (!wanted) return 'disabled';
  return inspection && !inspection.hasAudio ? 'none' : 'pending';
}
