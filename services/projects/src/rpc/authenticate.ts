import { DomainError } from '@recording-request/kit/errors';
import type { AuthenticateRequest, AuthenticateResponse } from '@recording-request/proto/accounts/v1/accounts';
import { type Context, checkHash } from '../context.ts';
import { tokenIsLive } from '../domain/user.ts';
import { toApiToken, toUser } from './account-messages.ts';

export const authenticate =
  ({ store }: Context) =>
  async (request: AuthenticateRequest): Promise<AuthenticateResponse> => {
    const token = await store.tokens.findByHash(checkHash('token_hash', request.tokenHash));
    const user = token && tokenIsLive(token, new Date()) ? await store.users.find(token.userId) : null;
    if (!token || !user) throw new DomainError('not_found', 'There is no such token.');
    return { user: toUser(user), token: toApiToken(token) };
  };
