import { pick, SETTING_DEFAULTS, SETTING_NAMES, type Settings } from '@recording-request/contract/project-settings';

/** Returns default project settings with `overrides`. */
export const projectSettings = (overrides: Partial<Settings> = {}): Settings => ({
  ...pick(SETTING_DEFAULTS, SETTING_NAMES),
  projectName: 'A project',
  ...overrides,
});
