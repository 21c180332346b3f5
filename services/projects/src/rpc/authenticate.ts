import type { AuthenticateRequest, AuthenticateResponse } from '@recording-request/proto/accounts/v1/accounts';
import type { Context } from '../context.ts';
import { noSuchToken, tokenIsLive } from '../domain/user.ts';
import { toApiToken, toUser } from './account-messages.ts';
import { parseHash } from './parse.ts';

export const authenticate =
  ({ store, clock }: Context) =>
  async (request: AuthenticateRequest): Promise<AuthenticateResponse> => {
    const token = await store.tokens.findByHash(parseHash('token_hash', request.tokenHash));
    const user = token && tokenIsLive(token, clock.now()) ? await store.users.find(token.userId) : null;
    if (!token || !user) throw noSuchToken();
    return { user: toUser(user), token: toApiToken(token) };
  };
