import type { Settings } from '@recording-request/contract/project-settings';
import { DomainError } from '@recording-request/kit/errors';
import { refuseControlCharacters } from '@recording-request/kit/plain-text';

/** An owner. The allowance belongs to the user and is shared by all their tokens. */
export interface User {
  _id: string;
  name: string;
  /** The number of videos that may be reserved in total; null means no limit. */
  videoLimit: number | null;
  videosReserved: number;
  createdAt: Date;
  /** When the user's erasure began. Nothing can be created for the user afterwards. */
  closedAt?: Date;
  /** The time when the operator disabled the user; absent for other users. */
  disabledAt?: Date;
  /** The end times of the user's latest sandboxes. `addSandbox` counts those in the future against LIMITS.sandboxes. */
  sandboxes?: Date[];
  /** The brand of the projects that do not set their own; absent if never set. */
  brand?: Settings['brand'];
}

/** The record of an API token, without the token itself. */
export interface ApiToken {
  _id: string;
  userId: string;
  label: string;
  scopes: string[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Accurate to LAST_USE_STEP_MS; absent for an unused token. */
  lastUsedAt?: Date;
  /** When the former secret becomes invalid; absent if it became invalid at once. */
  former?: { until: Date };
}

/** The minimum time between two writes of a token's last use. */
export const LAST_USE_STEP_MS = 60_000;
const NAME_LENGTH = 200;

/** Returns a user's name for storage. Fails with `invalid`. */
export function userNameOf(text: string): string {
  const name = text.trim();
  refuseControlCharacters('The name of a user', name);
  if (name !== '' && name.length <= NAME_LENGTH) return name;
  throw new DomainError('invalid', `The name of a user must have 1 to ${NAME_LENGTH} characters.`);
}

/** Returns the token for a caller that used the former secret: valid until the overlap or the token ends. */
export function withFormerExpiry(token: ApiToken): ApiToken {
  const until = token.former?.until ?? new Date(0);
  return { ...token, expiresAt: token.expiresAt && token.expiresAt < until ? token.expiresAt : until };
}

/** Returns whether the stored last use is old enough to be replaced by a use now. */
export function lastUseIsOld({ lastUsedAt }: Pick<ApiToken, 'lastUsedAt'>, now: Date): boolean {
  return lastUsedAt === undefined || lastUsedAt.getTime() <= now.getTime() - LAST_USE_STEP_MS;
}

/** Returns whether a token is valid at this moment. */
export function tokenIsLive(token: Pick<ApiToken, 'expiresAt' | 'revokedAt'>, now: Date): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt > now);
}

/**
 * Returns how many videos can still be reserved; null without a limit. Never negative, even when the limit is below the
 * reserved number.
 */
export function remainingVideos(user: Pick<User, 'videoLimit' | 'videosReserved'>): number | null {
  return user.videoLimit === null ? null : Math.max(0, user.videoLimit - user.videosReserved);
}

/** Returns the scopes that are not in `known`. */
export function unknownScopes(scopes: string[], known: readonly string[]): string[] {
  return scopes.filter(scope => !known.includes(scope));
}

export const noSuchUser = () => new DomainError('not_found', 'There is no such user.');
export const noSuchToken = () => new DomainError('not_found', 'There is no such token.');

export const allowanceExceeded = (wanted: number, remaining: number) =>
  new DomainError(
    'forbidden',
    `This asks for ${count(wanted)} of the allowance, but only ${count(remaining)} remain.`,
    { reason: 'allowance_exceeded' },
  );
const count = (videos: number) => `${videos.toLocaleString('en')} ${videos === 1 ? 'video' : 'videos'}`;
