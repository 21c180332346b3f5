import { LIMITS } from '@recording-request/contract/limits';
import {
  NO_BRAND,
  pick,
  SETTING_DEFAULTS,
  SETTING_NAMES,
  type Settings,
} from '@recording-request/contract/project-settings';
import type { CreateProjectInput, UpdateProjectInput } from '@recording-request/contract/requests';
import type { CreateProjectRequest, UpdateProjectRequest } from '@recording-request/proto/projects/v1/projects';

const HOUR = 3_600;
const DAY = 24 * HOUR;

type Window = Pick<CreateProjectInput, 'neverExpire' | 'expiresInHours' | 'expiresInDays'>;

/** `neverExpire: true` overrides hours; hours override days. Undefined means never. */
function expirySeconds(window: Window, defaultSeconds: number): number | undefined {
  if (window.neverExpire) return undefined;
  if (window.expiresInHours !== undefined) return window.expiresInHours * HOUR;
  if (window.expiresInDays !== undefined) return window.expiresInDays * DAY;
  return defaultSeconds;
}

/** Returns the request to create a project, with every default filled in. */
export function creationOf(
  body: CreateProjectInput,
  expiryDefaultSeconds: number,
): Pick<CreateProjectRequest, 'settings' | 'count' | 'expiresInSeconds' | 'webhookSecret' | 'retentionDays'> {
  const { maxDurationSec } = SETTING_DEFAULTS;
  const shorter = body.sandbox ? { maxDurationSec: Math.min(maxDurationSec, LIMITS.sandboxDurationSec) } : {};
  const given = { ...SETTING_DEFAULTS, ...shorter, ...body };
  return {
    settings: { ...pick(given, SETTING_NAMES), ...objectsOf(body) },
    count: body.count,
    expiresInSeconds: expirySeconds(body, expiryDefaultSeconds),
    webhookSecret: given.webhookSecret,
    retentionDays: body.retentionDays ?? undefined,
  };
}

/** Returns the request to update a project; fields that the body omits stay unchanged. */
export function updateOf(
  body: UpdateProjectInput,
  expiryDefaultSeconds: number,
): Omit<UpdateProjectRequest, 'ownerId' | 'projectId'> {
  const given = { ...pick(body, SETTING_NAMES), ...objectsOf(body) };
  return {
    settings: { values: { ...SETTING_DEFAULTS, ...given }, names: Object.keys(given) },
    webhookSecret: body.webhookSecret,
    expiry: expiryChange(body, expiryDefaultSeconds),
    // 0 removes the retention.
    retentionDays: body.retentionDays === null ? 0 : body.retentionDays,
  };
}

/** Returns the settings of a body that are objects, complete: their fields are optional in a body, and `brand` may be null. */
const objectsOf = ({ remind, brand }: UpdateProjectInput): Partial<Settings> => ({
  ...(remind && { remind: { ...SETTING_DEFAULTS.remind, ...remind } }),
  ...(brand !== undefined && { brand: completeBrand(brand) }),
});

export const completeBrand = (brand: Partial<Settings['brand']> | null): Settings['brand'] => ({
  ...NO_BRAND,
  ...brand,
});

function expiryChange(body: UpdateProjectInput, defaultSeconds: number): UpdateProjectRequest['expiry'] {
  const named = [body.neverExpire, body.expiresInHours, body.expiresInDays].some(value => value !== undefined);
  if (!named) return undefined;
  const seconds = expirySeconds(body, defaultSeconds);
  return seconds === undefined ? { $case: 'neverExpire', value: true } : { $case: 'expiresInSeconds', value: seconds };
}
