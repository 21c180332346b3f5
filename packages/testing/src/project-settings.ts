import type { ProjectSettings } from '@recording-request/proto/projects/v1/projects';

/** Returns the settings of a project, every option off but for `overrides`. */
export const projectSettings = (overrides: Partial<ProjectSettings> = {}): ProjectSettings => ({
  projectName: 'A project',
  maxDurationSec: 0,
  transcriptionEnabled: false,
  noteEnabled: false,
  requestUrl: '',
  webhookUrl: '',
  webhookEvents: [],
  requireTerms: false,
  termsLabel: '',
  termsText: '',
  interviewQuestions: [],
  showSuccessDialog: false,
  successMessage: '',
  sharedLinkEnabled: false,
  ...overrides,
});
