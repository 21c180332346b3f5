import { DomainError } from '@recording-request/kit/errors';
import type { RevokeApiTokenRequest, RevokeApiTokenResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { toApiToken } from './account-messages.ts';

export const revokeApiToken =
  ({ store }: Context) =>
  async (request: RevokeApiTokenRequest): Promise<RevokeApiTokenResponse> => {
    const token = await store.tokens.revoke(request.apiTokenId, new Date());
    if (!token) throw new DomainError('not_found', 'There is no such token.');
    return { token: toApiToken(token) };
  };
