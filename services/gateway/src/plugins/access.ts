import { hashToken, type TokenPrefix, tokenIsWellFormed } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import { noteSubject } from '@recording-request/kit-telemetry/subject';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { callerNetwork } from '../domain/caller-network.ts';
import { TokenGuesses } from '../domain/token-guesses.ts';
import { type Access, mayDeclare, type Owner, type Recipient } from './access-kinds.ts';
import type { RateLimits } from './rate-limit.ts';
import { noteSubjectOf } from './request-log.ts';
import {
  createLookUps,
  type KnownOwner,
  noDashboard,
  noLink,
  type TokenHash,
  unauthenticated,
} from './token-look-ups.ts';

/**
 * Denies by default: the gateway does not start with a route that declares no access. Counts each call (429), then
 * checks its token (401, 403; 404 for a token in the path), before it reads the body.
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
    const { access, limit } = route.config ?? {};
    if (!access || !limit) throw new Error(`${route.method} ${route.url} does not declare who may call it`);
    if (!mayDeclare(limit, route.url)) throw new Error(`${route.method} ${route.url} must be counted`);
  });

  const lookUp = createLookUps(context);
  const bounds = { maxEntries: context.config.tokenCacheEntries };
  const guesses = new TokenGuesses(bounds);
  // Counts wrong links separately, so that they do not block an owner.
  const linkGuesses = new TokenGuesses(bounds);
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return;
    const { access } = request.routeOptions.config;
    const token = access && presentedToken(access, request);
    await count(request, reply, token);
    await admit(request, reply, token);
    // Runs after the checks, because a refused request must not leave a span with the id of another owner's clip.
    noteSubject(request.params);
  });

  async function count(request: FastifyRequest, reply: FastifyReply, token: TokenHash | undefined): Promise<void> {
    const { access, limit } = request.routeOptions.config;
    switch (limit) {
      case 'token': {
        if (!token) return limits.countAddress(reply, 'address', request.ip);
        // Check this before counting: counts of invented tokens would push the counts of other callers out of the
        // limited memory.
        const wait = guesses.waitSeconds(callerNetwork(request.ip), token.key);
        if (wait > 0) limits.refuseAddress(reply, wait);
        if (access?.kind === 'dashboard') return limits.countViewer(reply, token.key, request.ip);
        return limits.countToken(reply, token.key);
      }
      case 'upload': {
        const wait = linkGuesses.waitSeconds(callerNetwork(request.ip), token?.key ?? '');
        if (wait > 0) throw tooManyUnknownLinks(wait);
        return;
      }
      case 'probe':
        return;
      default:
        return limits.countAddress(reply, limit ?? 'address', request.ip);
    }
  }

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
        request.recipient = await linkOf(token, request);
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

  /** Also counts an unknown token for its address, because each invented token has a count of its own. */
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
      const wait = await limits.countGuess('address', request.ip);
      if (wait > 0) {
        guesses.overLimit(callerNetwork(request.ip), wait);
        limits.refuseAddress(reply, wait);
      }
      throw error;
    }
  }

  /** Counts unknown links only for uploads, because every other route with a link is counted before the look-up. */
  async function linkOf(token: TokenHash | undefined, request: FastifyRequest): Promise<Recipient> {
    try {
      if (!token) throw noLink();
      const found = await lookUp.recipient(token);
      linkGuesses.opened(token.key);
      return found;
    } catch (error) {
      const isUnknown = error instanceof DomainError && error.code === 'not_found';
      if (isUnknown && request.routeOptions.config.limit === 'upload') {
        if (token) linkGuesses.openedNothing(token.key);
        const wait = await limits.countGuess('unknown', request.ip);
        if (wait > 0) linkGuesses.overLimit(callerNetwork(request.ip), wait);
      }
      throw error;
    }
  }
}

/** Returns 503, not 429, because upload clients give up at 429. */
function tooManyUnknownLinks(wait: number): DomainError {
  noteShed('rate');
  const sentence = 'Too many requests with links that do not exist came from this address; try again later.';
  return new DomainError('unavailable', sentence, { retryAfterSec: wait });
}

function requireScope(owner: Owner, scope: string | undefined): void {
  if (scope === undefined || owner.token.scopes.includes(scope)) return;
  throw new DomainError('forbidden', `The token lacks the scope ${scope}.`, { reason: 'scope_missing' });
}

/** Returns the token of a call if it is well formed, so that a wrong checksum costs no look-up. */
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
