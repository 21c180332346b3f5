import { pick, SETTING_DEFAULTS, SETTING_NAMES, type Settings } from '@recording-request/contract/project-settings';

export const projectSettings = (overrides: Partial<Settings> = {}): Settings => ({
  ...pick(SETTING_DEFAULTS, SETTING_NAMES),
  projectName: 'A project',
  ...overrides,
});
