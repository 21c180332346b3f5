import { DomainError } from '@recording-request/kit/errors';
import { refuseControlCharacters } from '@recording-request/kit/plain-text';

/** An owner. The allowance belongs to the user and is shared by all their tokens. */
export interface User {
  _id: string;
  name: string;
  /** How many videos may be reserved in all; null means no limit. */
  videoLimit: number | null;
  videosReserved: number;
  createdAt: Date;
  /** Since when nothing can be made for them, as they are being erased. */
  closedAt?: Date;
  /** Since when the operator has them disabled; absent for any other. */
  disabledAt?: Date;
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
  /** To within LAST_USE_STEP_MS; absent for one that was never used. */
  lastUsedAt?: Date;
  /** The secret before the present one, and until when it opens the same; absent where it ended at once. */
  former?: { until: Date };
}

/** So seldom is the last use of a token written. */
export const LAST_USE_STEP_MS = 60_000;
const NAME_LENGTH = 200;

/** Returns a user's name as it is stored. Fails with `invalid`. */
export function userNameOf(text: string): string {
  const name = text.trim();
  refuseControlCharacters('The name of a user', name);
  if (name !== '' && name.length <= NAME_LENGTH) return name;
  throw new DomainError('invalid', `The name of a user must have 1 to ${NAME_LENGTH} characters.`);
}

/** The token as its former secret opens it: that one ends with its overlap, at the latest with the token. */
export function asFormer(token: ApiToken): ApiToken {
  const until = token.former?.until ?? new Date(0);
  return { ...token, expiresAt: token.expiresAt && token.expiresAt < until ? token.expiresAt : until };
}

/** Whether the last use that is noted is too old to stand for a use at this moment. */
export function lastUseIsOld({ lastUsedAt }: Pick<ApiToken, 'lastUsedAt'>, now: Date): boolean {
  return lastUsedAt === undefined || lastUsedAt.getTime() <= now.getTime() - LAST_USE_STEP_MS;
}

/** Whether a token opens anything at this moment. */
export function tokenIsLive(token: Pick<ApiToken, 'expiresAt' | 'revokedAt'>, now: Date): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt > now);
}

/** Returns how many videos are left to reserve: null without a limit, never negative where it was lowered later. */
export function remainingVideos(user: Pick<User, 'videoLimit' | 'videosReserved'>): number | null {
  return user.videoLimit === null ? null : Math.max(0, user.videoLimit - user.videosReserved);
}

/** The scopes of a list that are not among those `known`. */
export function unknownScopes(scopes: string[], known: readonly string[]): string[] {
  return scopes.filter(scope => !known.includes(scope));
}

export const noSuchUser = () => new DomainError('not_found', 'There is no such user.');
export const noSuchToken = () => new DomainError('not_found', 'There is no such token.');
