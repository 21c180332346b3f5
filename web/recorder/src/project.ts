import type { ProjectDetailJson } from '@recording-request/contract/resources/project';

/** What the recorder shows of a project. */
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
>;
