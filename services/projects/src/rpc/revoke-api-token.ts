import type { RevokeApiTokenRequest, RevokeApiTokenResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { noSuchToken } from '../domain/user.ts';
import { toApiToken } from './account-messages.ts';

export const revokeApiToken =
  ({ store, clock }: Context) =>
  async (request: RevokeApiTokenRequest): Promise<RevokeApiTokenResponse> => {
    const token = await store.tokens.revoke(request.apiTokenId, clock.now());
    if (!token) throw noSuchToken();
    return { token: toApiToken(token) };
  };
