import type { ApiToken, User } from '@recording-request/proto/accounts/v1/accounts';
import { isUnbranded } from '../brand.ts';
import type { ApiUserJson, CurrentUserJson } from '../resources/account.ts';

/**
 * Returns the remaining videos; null without a limit. The result is never below 0: an operator may set a limit below the reserved
 * videos.
 */
function remainingVideos(user: User): number | null {
  return user.videoLimit === undefined ? null : Math.max(0, user.videoLimit - user.videosReserved);
}

export function presentApiUser(user: User, reservedVideoCount: number): ApiUserJson {
  return {
    userId: user.userId,
    userName: user.userName,
    videoLimit: user.videoLimit ?? null,
    videosReserved: user.videosReserved,
    reservedVideoCount,
    remainingVideos: remainingVideos(user),
  };
}

/** Presents the answer of GET /api/me. */
export function presentUser(user: User, token: Pick<ApiToken, 'apiTokenId' | 'label' | 'scopes'>): CurrentUserJson {
  return {
    userId: user.userId,
    userName: user.userName,
    tokenId: token.apiTokenId,
    tokenLabel: token.label,
    scopes: token.scopes,
    videoLimit: user.videoLimit ?? null,
    videosReserved: user.videosReserved,
    remainingVideos: remainingVideos(user),
    brand: isUnbranded(user.brand) ? null : user.brand!,
  };
}
