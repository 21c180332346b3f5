import type { ProjectDetailJson } from '@recording-request/contract/resources/project';

/** The part of a project that the recorder shows. */
export type RecorderProject = Pick<
  ProjectDetailJson,
  | 'projectName'
  | 'maxDurationSec'
  | 'interviewQuestions'
  | 'noteEnabled'
  | 'requireTerms'
  | 'termsLabel'
  | 'termsText'
  | 'requestUrl'
  | 'showSuccessDialog'
  | 'successMessage'
  | 'acceptReference'
  | 'sandbox'
  | 'answerModes'
  | 'script'
>;
