import type * as accounts from '@recording-request/proto/accounts/v1/accounts';
import type { ApiToken, User } from '../domain/user.ts';

export function toUser(user: User): accounts.User {
  return {
    userId: user._id,
    userName: user.name,
    videoLimit: user.videoLimit ?? undefined,
    videosReserved: user.videosReserved,
    createdAt: user.createdAt,
    disabledAt: user.disabledAt,
    brand: user.brand,
  };
}

export function toApiToken(token: ApiToken): accounts.ApiToken {
  return {
    apiTokenId: token._id,
    userId: token.userId,
    label: token.label,
    scopes: token.scopes,
    createdAt: token.createdAt,
    expiresAt: token.expiresAt ?? undefined,
    revokedAt: token.revokedAt ?? undefined,
    lastUsedAt: token.lastUsedAt,
    formerUntil: token.former?.until,
  };
}
