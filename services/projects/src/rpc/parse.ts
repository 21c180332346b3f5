import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import { responseKey } from '../domain/response.ts';

const HASH_BYTES = 32;

/** Returns a SHA-256. Fails with `invalid` for any other length. */
export function parseHash(field: string, hash: Uint8Array): Buffer {
  if (hash.length !== HASH_BYTES) throw new DomainError('invalid', `${field} must be ${HASH_BYTES} bytes.`);
  return Buffer.from(hash);
}

/** Returns the session id in lower case. Fails with `invalid` if it is not a UUID. */
export function parseSession(sessionId: string): string {
  if (!isUuid(sessionId)) throw new DomainError('invalid', 'responseSessionId must be a UUID.');
  return sessionId.toLowerCase();
}

/** Returns the key of the response that a request names. Fails with `invalid` if the session id is not a UUID. */
export function parseResponseKey(request: { linkId: string; responseSessionId: string }): string {
  return responseKey(request.linkId, parseSession(request.responseSessionId));
}

/** Returns the key under which the service stores the result of the request; undefined without one. */
export function parseRepeat(request: { idempotencyKey: string; bodyHash: Uint8Array }) {
  const { idempotencyKey: key, bodyHash } = request;
  return key === '' ? undefined : { key, bodyHash: parseHash('body_hash', bodyHash) };
}
