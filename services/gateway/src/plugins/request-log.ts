import type { IncomingMessage } from 'node:http';
import { noteRequest, whenClosed } from '@recording-request/kit-telemetry/http-requests';
import { idsOf, type SubjectIds } from '@recording-request/kit-telemetry/subject';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OffloadState } from '../adapters/media-offload.ts';
import { outerSignal } from './internal-calls.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The failure of the request, for its log line. The client never sees it. */
    failure: { err: unknown } | undefined;
    /** The ids that the request concerns and that are not in its address. */
    subject: SubjectIds | undefined;
    /** True for a request that another route of this process sent. */
    isInternal: boolean;
    /** The state that a media proxy reported with the request. */
    offload: OffloadState | undefined;
  }
}

/** Writes one log line for each request. The line has the route's pattern, because the address may contain a token. */
export function installRequestLog(app: FastifyInstance): void {
  app.decorateRequest('failure', undefined);
  app.decorateRequest('subject', undefined);
  app.decorateRequest('offload', undefined);
  app.decorateRequest('isInternal', false);
  app.addHook('onRequest', async (request, reply) => {
    request.isInternal = outerSignal() !== undefined;
    if (request.routeOptions.url?.startsWith('/healthz')) return;
    whenClosed(reply.raw, () => logRequest(request, reply));
  });
}

type Logged = IncomingMessage & { [IS_LOGGED]?: true };

const IS_LOGGED = Symbol('recording-request.is-logged');

/** Logs an HTTP response that the gateway sent without Fastify. The request has no other log line. */
export function logOnSocket(
  log: FastifyBaseLogger,
  answered: { requestId: string; status: number; reason: string },
  request?: IncomingMessage,
): void {
  if (request) (request as Logged)[IS_LOGGED] = true;
  log.info({ ...(request?.method && { method: request.method }), route: 'none', ...answered }, 'answered');
}

/** Logs a request that failed before routing, so that no hook has seen it. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  if ((request.raw as Logged)[IS_LOGGED]) return;
  const { failure, log, offload } = request;
  // An internal response has no client, so Node never flushes its bytes and never marks it as finished.
  const isAnswered = request.isInternal ? reply.raw.writableEnded : reply.raw.writableFinished;
  const about = {
    method: request.method,
    route: request.routeOptions?.url ?? 'none',
    ...(isAnswered && { status: reply.statusCode }),
    ms: Math.round(reply.elapsedTime),
    ...subjectsOf(request),
    ...(offload && { offload }),
    ...failure,
  };
  if (isAnswered) log[levelOf(reply)](about, 'answered');
  else log.info(about, 'the client went away');
}

function levelOf(reply: FastifyReply): 'info' | 'warn' | 'error' {
  if (reply.statusCode === 500) return 'error';
  // A body that stopped before its end is normal: its client resumes later.
  return reply.statusCode > 500 && reply.getHeader('error-code') !== 'upload_incomplete' ? 'warn' : 'info';
}

/** Adds the ids in `about` to a request's log line and span. */
export function noteSubjectOf(request: FastifyRequest, about: object): void {
  request.subject = { ...request.subject, ...idsOf(about) };
  noteRequest(request.raw, about);
}

/** Returns the ids in a request. Drops other values: one may be a pasted token. */
function subjectsOf({ owner, dashboard, recipient, params, subject }: FastifyRequest) {
  const ownerId = owner?.userId ?? (dashboard ?? recipient)?.ownerId;
  return { ...(ownerId !== undefined && { ownerId }), ...idsOf(params), ...subject };
}
