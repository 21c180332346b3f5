import { LIMITS } from '@recording-request/contract/limits';
import { NO_BRAND, normalBrand, type Settings } from '@recording-request/contract/project-settings';
import { DomainError } from '@recording-request/kit/errors';

const DAY_SECONDS = 86_400;

/** Returns the settings of a new project for storage. */
export function newSettings(given: Settings): Settings {
  const { sharedLinkEnabled, sharedLinkMaxUses } = given;
  return { ...trimmed(given), sharedLinkMaxUses: sharedLinkEnabled ? sharedLinkMaxUses : 0 };
}

/** Returns the settings with the white space around the title and the brand's name removed. */
export const trimmed = <T extends Partial<Settings>>(settings: T): T => ({
  ...settings,
  ...(settings.projectName !== undefined && { projectName: settings.projectName.trim() }),
  ...(settings.brand && { brand: normalBrand(settings.brand) }),
});

/** Returns the brand that contributors see: each field that the project leaves out has its owner's value. */
export function brandFor(
  project: Settings['brand'] = NO_BRAND,
  owner: Settings['brand'] = NO_BRAND,
): Settings['brand'] {
  return { name: project.name || owner.name, accent: project.accent || owner.accent };
}

/** Checks a project's retention; 0 means none. `ofOperator`: the operator's retention, 0 for none. */
export function checkRetention(days: number, ofOperator: number): void {
  if (days > LIMITS.retentionDays)
    throw new DomainError('invalid', `retentionDays must be null or a whole number from 1 to ${LIMITS.retentionDays}.`);
  if (ofOperator > 0 && days > ofOperator)
    throw new DomainError(
      'invalid',
      `retentionDays must be at most ${ofOperator}: the operator of this service erases every clip ${ofOperator} days after it landed.`,
    );
}

export function checkExpiry(seconds: number): void {
  if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > LIMITS.expiresInDays * DAY_SECONDS) {
    throw new DomainError('invalid', 'expiresInDays or expiresInHours must be at least 1 and at most ten years.');
  }
}
