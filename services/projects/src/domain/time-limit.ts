import { LIMITS } from '@recording-request/contract/limits';
import { completeSettings, type Settings } from '@recording-request/contract/project-settings';

/**
 * Returns the settings that a new response copies. Their `maxDurationSec` includes the time factor, which is then 1: no
 * reader can apply it twice, and none can see it. `ofLink`: the factor of the link; null without one. Clips of a
 * sandbox stay as short as its promise.
 */
export function settingsOfResponse(settings: Settings, ofLink: number | null): Settings {
  const complete = completeSettings(settings);
  const { maxDurationSec, sandbox } = complete;
  const limit = Math.round(maxDurationSec * (ofLink ?? complete.timeFactor));
  return {
    ...complete,
    maxDurationSec: sandbox ? Math.min(limit, LIMITS.sandboxDurationSec) : limit,
    timeFactor: 1,
  };
}
