import type { Response } from '@recording-request/proto/projects/v1/projects';
import { type Upload, UploadRefusal, UploadState } from '@recording-request/proto/submissions/v1/submissions';
import { thankYouUrl } from '../addresses.ts';
import { completeSettings } from '../project-settings.ts';
import type { ContributorResponseJson } from '../resources/contributor-response.ts';
import { isAnswerMode } from '../resources/fields.ts';

type AnswerJson = ContributorResponseJson['answers'][number];
type UploadJson = AnswerJson['uploads'][number];

const STATE_NAMES: Record<number, UploadJson['state']> = {
  [UploadState.UPLOAD_STATE_FINISHING]: 'finishing',
  [UploadState.UPLOAD_STATE_LANDED]: 'landed',
  [UploadState.UPLOAD_STATE_REFUSED]: 'refused',
};

const REFUSAL_NAMES: Record<number, UploadJson['errorCode']> = {
  [UploadRefusal.UPLOAD_REFUSAL_NOT_VIDEO]: 'not_video',
  [UploadRefusal.UPLOAD_REFUSAL_TOO_LONG]: 'too_long',
  [UploadRefusal.UPLOAD_REFUSAL_ANSWERED]: 'answered',
};

export interface ResponseContext {
  baseUrl: string;
  /** The token of the link that the contributor opened. */
  token: string;
}

/** Presents a response for the contributor's page: each answer with its result, and the running uploads. */
export function presentResponse(
  response: Response,
  uploads: Upload[],
  context: ResponseContext,
): ContributorResponseJson {
  if (!response.settings) throw new Error('the response has no settings');
  const questions = response.settings.interviewQuestions;
  const interview = questions.length > 0;
  const answers: AnswerJson[] = [];
  for (let index = 0; index < Math.max(1, questions.length); index++) {
    answers.push({
      questionIndex: interview ? index : null,
      submissionId: response.answers.find(answer => answer.questionIndex === index)?.submissionId || null,
      uploads: uploads.filter(upload => upload.questionIndex === index).map(presentUpload),
    });
  }
  return {
    responseSessionId: response.responseSessionId,
    maxDurationSec: response.settings.maxDurationSec,
    questions,
    answers,
    complete: response.complete,
    thankYouUrl: interview ? thankYouUrl(context.baseUrl, context.token) : null,
    completionCode: response.completion?.code ?? null,
    returnUrl: response.completion?.returnUrl || null,
    hasScript: Boolean(response.settings.script),
    answerModes: completeSettings(response.settings).answerModes.filter(isAnswerMode),
  };
}

const presentUpload = (upload: Upload): UploadJson => ({
  uploadId: upload.uploadId,
  state: STATE_NAMES[upload.state] ?? 'uploading',
  incomplete: upload.incomplete,
  error: upload.error ?? null,
  errorCode: REFUSAL_NAMES[upload.refusal] ?? null,
});
