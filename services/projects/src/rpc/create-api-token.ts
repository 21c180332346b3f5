import { SCOPES } from '@recording-request/contract/resources/fields';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { refuseControlCharacters } from '@recording-request/kit/plain-text';
import type { CreateApiTokenRequest, CreateApiTokenResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { type ApiToken, noSuchUser, unknownScopes } from '../domain/user.ts';
import { toApiToken } from './account-messages.ts';

const LABEL_LENGTH = 200;

export const createApiToken =
  ({ store, clock }: Context) =>
  async (request: CreateApiTokenRequest): Promise<CreateApiTokenResponse> => {
    const now = clock.now();
    check(request, now);
    const user = await store.users.find(request.userId);
    if (!user || user.closedAt) throw noSuchUser();
    const secret = mintToken('api');
    const token: ApiToken = {
      _id: uuidv7(),
      userId: request.userId,
      label: request.label.trim(),
      scopes: [...new Set(request.scopes)],
      createdAt: now,
      expiresAt: request.expiresAt ?? null,
      revokedAt: null,
    };
    await store.tokens.insert(token, hashToken(secret));
    return { token: toApiToken(token), secret };
  };

function check(request: CreateApiTokenRequest, now: Date): void {
  const unknown = unknownScopes(request.scopes, SCOPES);
  if (unknown.length > 0) {
    throw new DomainError('invalid', `Unknown scopes: ${unknown.join(', ')}. Known are ${SCOPES.join(', ')}.`);
  }
  if (request.scopes.length === 0) throw new DomainError('invalid', 'A token needs at least one scope.');
  refuseControlCharacters('label', request.label);
  if (request.label.length > LABEL_LENGTH) {
    throw new DomainError('invalid', `label must be at most ${LABEL_LENGTH} characters.`);
  }
  if (request.expiresAt && request.expiresAt <= now) {
    throw new DomainError('invalid', 'expires_at must be in the future.');
  }
}
