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
 * Which rate limit counts a call: that of its token, that of its address, the wider one of its address for what a
 * contributor's page sends by itself, or none.
 */
export type Limit = 'token' | 'address' | 'contributor' | 'none';

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
    /** Answers a browser with an error of a route that is a page; every other client gets JSON. */
    errorPage?: ErrorPage;
  }
  interface FastifyInstance {
    /** For routes that have none, and addresses without a route, by what they begin with: asked for every client. */
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
