import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { AuthenticateRequest, AuthenticateResponse } from '@recording-request/proto/accounts/v1/accounts';
import type { Context } from '../context.ts';
import { type ApiToken, lastUseIsOld, noSuchToken, tokenIsLive, withFormerExpiry } from '../domain/user.ts';
import { toApiToken, toUser } from './account-messages.ts';
import { parseHash } from './parse.ts';

export const authenticate =
  ({ store, clock }: Context) =>
  async (request: AuthenticateRequest, { log }: CallContext): Promise<AuthenticateResponse> => {
    const now = clock.now();
    const token = await find(store, parseHash('token_hash', request.tokenHash));
    const user = token && tokenIsLive(token, now) ? await store.users.find(token.userId) : null;
    if (!token || !user || user.disabledAt) throw noSuchToken();
    if (lastUseIsOld(token, now))
      await store.tokens
        .used(token._id, now)
        .catch(error => log.warn({ err: error, apiTokenId: token._id }, 'The last use of a token was not stored'));
    return { user: toUser(user), token: toApiToken(token) };
  };

async function find({ tokens }: Context['store'], hash: Buffer): Promise<ApiToken | null> {
  const found = await tokens.findByHash(hash);
  return found && (found.isFormer ? withFormerExpiry(found.token) : found.token);
}
