import { pick, SETTING_DEFAULTS, SETTING_NAMES, type Settings } from '@recording-request/contract/project-settings';

/** Returns the settings of a project, each the default but for `overrides`. */
export const projectSettings = (overrides: Partial<Settings> = {}): Settings => ({
  ...pick(SETTING_DEFAULTS, SETTING_NAMES),
  projectName: 'A project',
  ...overrides,
});
