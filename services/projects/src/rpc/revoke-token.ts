import { DomainError } from '@recording-request/kit/errors';
import type { RevokeTokenRequest, RevokeTokenResponse } from '@recording-request/proto/accounts/v1/accounts';
import type { Context } from '../context.ts';
import { toToken } from './account-messages.ts';

export const revokeToken =
  ({ store }: Context) =>
  async (request: RevokeTokenRequest): Promise<RevokeTokenResponse> => {
    const token = await store.tokens.revoke(request.tokenId, new Date());
    if (!token) throw new DomainError('not_found', 'There is no such token.');
    return { token: toToken(token) };
  };
