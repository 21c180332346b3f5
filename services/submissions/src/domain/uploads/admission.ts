import { DomainError } from '@recording-request/kit/errors';
import type { Caller, Upload } from './upload.ts';
import { checkAnswerMode, questionOf, type UploadMetadata } from './upload-metadata.ts';

// The maximum number of open uploads of a response. A contributor may record many retakes, but these must not fill the
// store.
export const OPEN_UPLOADS_MAX = 20;

/** A request to create an upload, with the state of its response. */
export interface Admission {
  id: string;
  caller: Caller;
  metadata: UploadMetadata;
  /** In bytes; undefined when the client declares it later. */
  length: number | undefined;
  response: {
    settings?: {
      interviewQuestions: string[];
      transcriptionEnabled: boolean;
      transcriptionLanguage?: string | undefined;
      answerModes: string[];
    };
    answers: { questionIndex: number }[];
  };
  /** The questions whose clip is landing. */
  landing: number[];
  now: Date;
}

export const tooManyOpen = () =>
  new DomainError('conflict', `At most ${OPEN_UPLOADS_MAX} uploads of a response can be open; end one first.`, {
    reason: 'upload_busy',
  });

/** Returns the new upload. Fails when its question is not open for an upload. */
export function admittedUpload({ id, caller, metadata, length, response, landing, now }: Admission): Upload {
  const settings = response.settings!;
  const questionIndex = questionOf(metadata, settings.interviewQuestions);
  checkAnswerMode(metadata, settings.answerModes);
  if (response.answers.some(answer => answer.questionIndex === questionIndex))
    throw new DomainError('gone', 'This answer was sent already, from this device or another.', {
      reason: 'answer_sent',
    });
  // Fails only temporarily: if the clip that is landing is refused, this device can retry.
  if (landing.includes(questionIndex))
    throw new DomainError('conflict', 'This answer is being sent already; try again in a moment.', {
      reason: 'upload_busy',
    });
  return {
    id,
    state: 'uploading',
    ...caller,
    responseId: metadata.responseSessionId,
    questionIndex,
    note: metadata.note,
    answerMode: metadata.answerMode,
    signed: metadata.signed || undefined,
    transcription: settings.transcriptionEnabled,
    transcriptionLanguage: settings.transcriptionLanguage || undefined,
    length,
    offset: 0,
    createdAt: now,
    lastByteAt: now,
    renewedAt: undefined,
    submissionId: undefined,
    finishingAt: undefined,
    sha256: undefined,
    incomplete: false,
    error: undefined,
    refusal: undefined,
    superseded: false,
  };
}
