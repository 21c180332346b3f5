import type { Scope } from '@recording-request/contract/resources/fields';
import type { FastifyReply } from 'fastify';

/** Who may call a route. The gateway does not start with a route that leaves it out. */
export type Access =
  | { kind: 'owner'; scope: Scope }
  /** By the private token in the path. */
  | { kind: 'dashboard' }
  /** By the recipient token in the path. */
  | { kind: 'recipient' }
  | { kind: 'public' };

/**
 * A count of requests by address: of anonymous routes; of requests that no route takes; of those that a contributor's page sends by
 * itself; of files that every page loads. The last two allow more, as one visit sends several.
 */
export type AddressLimit = 'address' | 'unknown' | 'contributor' | 'asset';

/** Requests that never get 429: the bytes of uploads, bounded by how many run at once, and the probes of an orchestrator. */
export type Uncounted = 'upload' | 'probe';

/** The rate limit that counts a request: that of its token, one of its address, or none. */
export type Limit = 'token' | AddressLimit | Uncounted;

/** The addresses of routes that may go uncounted. */
const UNCOUNTED: Record<Uncounted, RegExp> = {
  upload: /^\/r\/:token\/uploads(?:\/|$)/,
  probe: /^\/healthz(?:\/started)?$/,
};

const isUncounted = (limit: Limit): limit is Uncounted => limit in UNCOUNTED;

/** Whether a route may declare this limit: no route goes uncounted but by its address. */
export const mayDeclare = (limit: Limit, url: string): boolean => !isUncounted(limit) || UNCOUNTED[limit].test(url);

/** An owner's call. */
export interface Owner {
  userId: string;
  token: { apiTokenId: string; label: string; scopes: string[] };
}

/** The project that a call is about, and whose it is. */
export interface ProjectRef {
  ownerId: string;
  projectId: string;
}

export interface Recipient extends ProjectRef {
  linkId: string;
}

/** Answers with a page, or returns undefined where the error is to be JSON. */
export type ErrorPage = (reply: FastifyReply, sentence: string) => FastifyReply | undefined;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    limit?: Limit;
    /** The body is streamed on, without a limit of size or total time. */
    streamsBody?: boolean;
  }
  interface FastifyInstance {
    /** By what an address begins with, in small letters; asked for routes and for addresses without one, for every client. */
    errorPages: Map<string, ErrorPage>;
  }
  interface FastifyRequest {
    owner: Owner | undefined;
    dashboard: ProjectRef | undefined;
    recipient: Recipient | undefined;
  }
}

export const owner = (scope: Scope): { access: Access; limit: Limit } => ({
  access: { kind: 'owner', scope },
  limit: 'token',
});
export const dashboard: { access: Access; limit: Limit } = { access: { kind: 'dashboard' }, limit: 'token' };
export const recipient = (limit: Limit): { access: Access; limit: Limit } => ({
  access: { kind: 'recipient' },
  limit,
});
export const open = (limit: Limit): { access: Access; limit: Limit } => ({ access: { kind: 'public' }, limit });
