import { hashToken, type TokenPrefix, tokenIsWellFormed } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { FlightCache } from '@recording-request/kit/flight-cache';
import { noteSubject } from '@recording-request/kit/telemetry/subject';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { callerNetwork } from '../domain/caller-network.ts';
import { TokenGuesses } from '../domain/token-guesses.ts';
import type { Access, Owner, ProjectRef, Recipient } from './access-kinds.ts';
import type { RateLimits } from './rate-limit.ts';
import { noteSubjectOf } from './request-log.ts';

interface KnownOwner extends Owner {
  expiresAt: number;
}

/** A token as it is looked up, counted and remembered: its hash, made once for a request, and the same as text. */
interface TokenHash {
  hash: Buffer;
  key: string;
}

/**
 * Default-deny: a route without declared access does not start. Each call is counted first (429), then its token is
 * looked at (401, 403; 404 for a token in the path), before its body is read.
 */
export function installAccess(
  app: FastifyInstance,
  context: Pick<Context, 'config' | 'services'>,
  limits: RateLimits,
): void {
  app.decorateRequest('owner', undefined);
  app.decorateRequest('dashboard', undefined);
  app.decorateRequest('recipient', undefined);
  app.addHook('onRoute', route => {
    if (!route.config?.access || !route.config.limit) {
      throw new Error(`${route.method} ${route.url} does not declare who may call it`);
    }
  });

  const lookUp = createLookUps(context);
  const guesses = new TokenGuesses({ maxEntries: context.config.tokenCacheEntries });
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return;
    const { access, limit } = request.routeOptions.config;
    const token = access && presentedToken(access, request);
    if (limit === 'token' && token) {
      // Before it is counted: counts of made-up tokens would push out those of others.
      const wait = guesses.waitSeconds(callerNetwork(request.ip), token.key);
      if (wait > 0) limits.refuseAddress(reply, wait);
      await limits.countToken(reply, token.key);
    } else if (limit === 'contributor') await limits.countContributor(request, reply);
    else if (limit !== 'none') await limits.countAddress(request, reply);
    await admit(request, reply, token);
    // Only now: a request that is refused leaves no span under the id of somebody else's clip.
    noteSubject(request.params);
  });

  async function admit(request: FastifyRequest, reply: FastifyReply, token: TokenHash | undefined): Promise<void> {
    const { access } = request.routeOptions.config;
    switch (access?.kind) {
      case 'owner':
        request.owner = await authenticate(token, request, reply);
        requireScope(request.owner, access.scope);
        return;
      case 'dashboard':
        if (!token) throw noDashboard();
        request.dashboard = await notGuessed(token, lookUp.dashboard, request, reply);
        noteSubjectOf(request, request.dashboard);
        return;
      case 'recipient':
        if (!token) throw noLink();
        request.recipient = await lookUp.recipient(token);
        noteSubjectOf(request, request.recipient);
        return;
      case 'public':
        return;
      default:
        throw new Error(`${request.routeOptions.url} has no declared access`);
    }
  }

  async function authenticate(
    token: TokenHash | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<KnownOwner> {
    try {
      if (!token) throw unauthenticated();
      return await notGuessed(token, lookUp.owner, request, reply);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
      throw error;
    }
  }

  /** Made-up tokens each have a count of their own: what opens nothing counts for the address as well. */
  async function notGuessed<T>(
    token: TokenHash,
    open: (token: TokenHash) => Promise<T>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<T> {
    try {
      const found = await open(token);
      guesses.opened(token.key);
      return found;
    } catch (error) {
      if (!(error instanceof DomainError) || !['unauthenticated', 'not_found'].includes(error.code)) throw error;
      guesses.openedNothing(token.key);
      await countGuess(request, reply);
      throw error;
    }
  }

  async function countGuess(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      await limits.countAddress(request, reply);
    } catch (error) {
      guesses.overLimit(callerNetwork(request.ip), Number(reply.getHeader('retry-after')));
      throw error;
    }
  }
}

const unauthenticated = () =>
  new DomainError('unauthenticated', 'Send a valid API token in the header "Authorization: Bearer <API_TOKEN>".');

const noDashboard = () => new DomainError('not_found', 'There is no such dashboard.');
const noLink = () => new DomainError('not_found', 'There is no such recording link.');

function requireScope(owner: Owner, scope: string): void {
  if (owner.token.scopes.includes(scope)) return;
  throw new DomainError('forbidden', `The token lacks the scope ${scope}.`, { reason: 'scope_missing' });
}

/** The token of a call, if it can be one at all: a wrong checksum costs no look-up. */
function presentedToken(access: Access, request: FastifyRequest): TokenHash | undefined {
  const params = request.params as Record<string, string | undefined>;
  switch (access.kind) {
    case 'owner':
      return hashOf('api', /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]);
    case 'dashboard':
      return hashOf('prj', params.projectToken);
    case 'recipient':
      return hashOf('vr', params.token);
    case 'public':
      return undefined;
  }
}

function hashOf(prefix: TokenPrefix, text: string | undefined): TokenHash | undefined {
  if (text === undefined || !tokenIsWellFormed(prefix, text)) return undefined;
  const hash = hashToken(text);
  return { hash, key: hash.toString('base64') };
}

/** One sentence for every token that opens nothing: a token that was once minted looks like one that never was. */
function refuseAs(refusal: () => DomainError, error: unknown): never {
  throw error instanceof DomainError && error.code === 'not_found' ? refusal() : error;
}

function createLookUps({ services, config }: Pick<Context, 'config' | 'services'>) {
  const bounds = { ttlMs: config.tokenCacheMs, maxEntries: config.tokenCacheEntries };
  const owners = new FlightCache<KnownOwner>(bounds);
  const dashboards = new FlightCache<ProjectRef>(bounds);
  const recipients = new FlightCache<Recipient>(bounds);

  async function loadOwner(tokenHash: Buffer): Promise<KnownOwner> {
    try {
      const { user, token } = await services.accounts.authenticate({ tokenHash });
      if (!user || !token) throw new Error('an authentication came without its user or token');
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
