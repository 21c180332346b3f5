import { DomainError } from '@recording-request/kit/errors';
import { FlightCache } from '@recording-request/kit/flight-cache';
import type { Context } from '../context.ts';
import type { Owner, ProjectRef, Recipient } from './access-kinds.ts';

export interface KnownOwner extends Owner {
  expiresAt: number;
}

/** The hash of a token as bytes and as text, computed once per request for look-ups, counts and caches. */
export interface TokenHash {
  hash: Buffer;
  key: string;
}

export const unauthenticated = () =>
  new DomainError('unauthenticated', 'Send a valid API token in the header "Authorization: Bearer <API_TOKEN>".');

export const noDashboard = () => new DomainError('not_found', 'There is no such dashboard.');
export const noLink = () => new DomainError('not_found', 'There is no such recording link.');

/**
 * Throws the same error for every invalid token, so that nobody can distinguish a former token from an invented one.
 */
function refuseAs(refusal: () => DomainError, error: unknown): never {
  throw error instanceof DomainError && error.code === 'not_found' ? refusal() : error;
}

/**
 * Returns the functions that look up the owner, dashboard or link of a token. Caches the results for TOKEN_CACHE_MS.
 */
export function createLookUps({ services, config }: Pick<Context, 'config' | 'services'>) {
  const bounds = { ttlMs: config.tokenCacheMs, maxEntries: config.tokenCacheEntries };
  const owners = new FlightCache<KnownOwner>(bounds);
  const dashboards = new FlightCache<ProjectRef>(bounds);
  const recipients = new FlightCache<Recipient>(bounds);

  async function loadOwner(tokenHash: Buffer): Promise<KnownOwner> {
    try {
      const { user, token } = await services.accounts.authenticate({ tokenHash });
      if (!user || !token) throw new Error('the reply has no user or token');
      return {
        userId: user.userId,
        token: { apiTokenId: token.apiTokenId, label: token.label, scopes: token.scopes },
        expiresAt: token.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
      };
    } catch (error) {
      const unknown = error instanceof DomainError && ['not_found', 'unauthenticated'].includes(error.code);
      throw unknown ? unauthenticated() : error;
    }
  }

  return {
    async owner({ hash, key }: TokenHash): Promise<KnownOwner> {
      const found = await owners.get(key, () => loadOwner(hash));
      if (found.expiresAt <= Date.now()) throw unauthenticated();
      return found;
    },
    dashboard({ hash: tokenHash, key }: TokenHash): Promise<ProjectRef> {
      return dashboards.get(key, async () => {
        const known = services.projects.resolveDashboardToken({ tokenHash });
        const { ownerId, projectId } = await known.catch(error => refuseAs(noDashboard, error));
        return { ownerId, projectId };
      });
    },
    recipient({ hash: tokenHash, key }: TokenHash): Promise<Recipient> {
      return recipients.get(key, async () => {
        const known = services.projects.resolveRecipient({ tokenHash });
        const { ownerId, projectId, linkId } = await known.catch(error => refuseAs(noLink, error));
        return { ownerId, projectId, linkId };
      });
    },
  };
}
