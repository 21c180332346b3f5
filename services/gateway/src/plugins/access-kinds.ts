import type { Scope } from '@recording-request/contract/resources/fields';
import type { FastifyReply } from 'fastify';

/** The callers that a route allows. The gateway does not start with a route that omits this field. */
export type Access =
  /**
   * Without a scope, every token of an owner may call the route: the requests that the route then sends check their own
   * scopes.
   */
  | { kind: 'owner'; scope?: Scope }
  /** The private token in the path gives access. */
  | { kind: 'dashboard' }
  /** The link token in the path gives access. */
  | { kind: 'recipient' }
  | { kind: 'public' };

/**
 * The separate counts of requests for each address: anonymous routes, unknown routes, requests that a contributor's
 * page sends by itself, and files that every page loads. The last two have higher limits, because one visit sends
 * several requests.
 */
export type AddressLimit = 'address' | 'unknown' | 'contributor' | 'asset';

/**
 * Requests that never get 429: an orchestrator's probes, and the bytes of uploads, which have their own limit of
 * concurrent requests.
 */
export type Uncounted = 'upload' | 'probe';

/** The rate limit for a request: by its token, by its address, or none. */
export type Limit = 'token' | AddressLimit | Uncounted;

/** The addresses of the routes that may have no rate limit. */
const UNCOUNTED: Record<Uncounted, RegExp> = {
  upload: /^\/r\/:token\/uploads(?:\/|$)/,
  probe: /^\/healthz(?:\/started|\/client)?$/,
};

const isUncounted = (limit: Limit): limit is Uncounted => limit in UNCOUNTED;

/** Returns whether a route may declare this limit: only the addresses above may have no rate limit. */
export const mayDeclare = (limit: Limit, url: string): boolean => !isUncounted(limit) || UNCOUNTED[limit].test(url);

/** An owner's call. */
export interface Owner {
  userId: string;
  token: { apiTokenId: string; label: string; scopes: string[] };
}

/** The project of a call, and its owner. */
export interface ProjectRef {
  ownerId: string;
  projectId: string;
}

export interface Recipient extends ProjectRef {
  linkId: string;
}

/** Sends a page, or returns undefined if the error must be JSON. */
export type ErrorPage = (reply: FastifyReply, sentence: string) => FastifyReply | undefined;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    limit?: Limit;
    /** True if the body is streamed to a service, without a limit on its size or total time. */
    streamsBody?: boolean;
  }
  interface FastifyInstance {
    /**
     * The error pages, by the start of an address in lower case. GET and HEAD get them, even at addresses without a
     * route.
     */
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
/** For `/mcp`: its tools send REST requests with the owner's token, and each REST request checks its own scope. */
export const anyOwner: { access: Access; limit: Limit } = { access: { kind: 'owner' }, limit: 'token' };
export const dashboard: { access: Access; limit: Limit } = { access: { kind: 'dashboard' }, limit: 'token' };
export const recipient = (limit: Limit): { access: Access; limit: Limit } => ({
  access: { kind: 'recipient' },
  limit,
});
export const open = (limit: Limit): { access: Access; limit: Limit } => ({ access: { kind: 'public' }, limit });
