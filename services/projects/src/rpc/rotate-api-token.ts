import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import type { RotateApiTokenRequest, RotateApiTokenResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { inSeconds } from '../domain/time.ts';
import { noSuchToken, tokenIsLive } from '../domain/user.ts';
import { toApiToken } from './account-messages.ts';

const OVERLAP_MAX_SECONDS = 7 * 86_400;

export const rotateApiToken =
  ({ store, clock }: Context) =>
  async ({ apiTokenId, overlapSeconds }: RotateApiTokenRequest): Promise<RotateApiTokenResponse> => {
    if (overlapSeconds > OVERLAP_MAX_SECONDS)
      throw new DomainError('invalid', `The old secret may go on for at most ${OVERLAP_MAX_SECONDS / 3_600} hours.`);
    const now = clock.now();
    const known = await store.tokens.find(apiTokenId);
    if (!known) throw noSuchToken();
    const secret = mintToken('api');
    const until = overlapSeconds > 0 ? inSeconds(now, overlapSeconds) : null;
    const token = tokenIsLive(known, now) ? await store.tokens.rotate(apiTokenId, hashToken(secret), until) : null;
    if (!token) throw new DomainError('gone', 'This token was revoked or has expired: make a new one for its user.');
    return { token: toApiToken(token), secret };
  };
