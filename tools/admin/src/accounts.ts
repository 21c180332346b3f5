import type { ApiToken, User } from '@recording-request/proto/accounts/v1/accounts';
import type { ShowUserResponse } from '@recording-request/proto/operator/v1/projects';
import { properties, table, timeOf } from './table.ts';

const USER_COLUMNS = ['USER ID', 'STATE', 'RESERVED', 'LIMIT', 'CREATED', 'NAME'] as const;
const TOKEN_COLUMNS = ['TOKEN ID', 'STATE', 'LAST USED', 'CREATED', 'ENDS', 'OLD SECRET', 'SCOPES', 'LABEL'] as const;

export const userTable = (users: User[]): string[] =>
  table(
    USER_COLUMNS,
    users.map(user => [
      user.userId,
      user.disabledAt ? 'disabled' : 'enabled',
      String(user.videosReserved),
      limitOf(user),
      timeOf(user.createdAt),
      user.userName,
    ]),
    'no users yet',
  );

export const userProperties = ({ user, projects, tokens, liveTokens, lastUsedAt }: ShowUserResponse): string[] =>
  properties([
    ['user id', user!.userId],
    ['name', user!.userName],
    ['state', user!.disabledAt ? `disabled since ${timeOf(user!.disabledAt)}` : 'enabled'],
    ['created', timeOf(user!.createdAt)],
    ['reserved', `${user!.videosReserved} videos`],
    ['limit', limitOf(user!)],
    ['projects', String(projects)],
    ['tokens', `${liveTokens} live, ${tokens - liveTokens} ended`],
    ['last used', timeOf(lastUsedAt)],
  ]);

export const tokenTable = (tokens: ApiToken[], now: Date): string[] =>
  table(
    TOKEN_COLUMNS,
    tokens.map(token => [
      token.apiTokenId,
      stateOf(token, now),
      timeOf(token.lastUsedAt),
      timeOf(token.createdAt),
      endOf(token),
      token.formerUntil && token.formerUntil > now ? `until ${timeOf(token.formerUntil)}` : '-',
      token.scopes.join(','),
      token.label,
    ]),
    'no tokens yet',
  );

const limitOf = ({ videoLimit }: User): string => (videoLimit === undefined ? 'none' : String(videoLimit));

function stateOf({ revokedAt, expiresAt }: ApiToken, now: Date): string {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt <= now ? 'expired' : 'live';
}

function endOf({ revokedAt, expiresAt }: ApiToken): string {
  const end = revokedAt ?? expiresAt;
  return end ? timeOf(end) : 'never';
}

export function userValue(user: User) {
  const { userId, userName, videosReserved, createdAt } = user;
  const videoLimit = user.videoLimit ?? null;
  return { userId, userName, videoLimit, videosReserved, createdAt, disabledAt: user.disabledAt ?? null };
}

export function tokenValue(token: ApiToken) {
  const { apiTokenId, userId, label, scopes, createdAt } = token;
  return {
    tokenId: apiTokenId,
    userId,
    label,
    scopes,
    createdAt,
    lastUsedAt: token.lastUsedAt ?? null,
    expiresAt: token.expiresAt ?? null,
    revokedAt: token.revokedAt ?? null,
    formerSecretUntil: token.formerUntil ?? null,
  };
}
