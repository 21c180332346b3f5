import { DomainError } from '@recording-request/kit/errors';
import type { SecretBox } from '@recording-request/kit/secret-box';
import type { Config } from './config.ts';
import { RuleBroken } from './domain/settings-rules.ts';
import type { Store } from './store/store.ts';

/** What every RPC is made of. */
export interface Context {
  store: Store;
  secrets: SecretBox;
  config: Config;
}

/** What a secret is bound to when it is sealed: it opens for the same record only. */
export const sealedFor = {
  link: (linkId: string) => `link:${linkId}`,
  webhook: (projectId: string) => `webhook:${projectId}`,
  answer: (userId: string, key: string) => `idempotency:${userId}:${key}`,
};

/** Runs checks of the domain; a broken rule is the caller's fault, in the rule's own words. */
export function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof RuleBroken) throw new DomainError('invalid', error.message);
    throw error;
  }
}

const HASH_BYTES = 32;

export function checkHash(field: string, hash: Uint8Array): Buffer {
  if (hash.length !== HASH_BYTES) throw new DomainError('invalid', `${field} must be ${HASH_BYTES} bytes.`);
  return Buffer.from(hash);
}

export const noSuchUser = () => new DomainError('not_found', 'There is no such user.');
export const noSuchProject = () => new DomainError('not_found', 'There is no such project.');
export const noSuchLink = () => new DomainError('not_found', 'There is no such recording link.');
export const noSuchResponse = () => new DomainError('not_found', 'There is no such response.');
export const noSharedLink = () => new DomainError('not_found', 'This project has no shared link.');

export const inMs = (from: Date, ms: number) => new Date(from.getTime() + ms);
export const inSeconds = (from: Date, seconds: number) => inMs(from, seconds * 1000);
