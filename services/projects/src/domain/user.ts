import { DomainError } from '@recording-request/kit/errors';

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
