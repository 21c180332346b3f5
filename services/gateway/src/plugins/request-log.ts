import type { IncomingMessage } from 'node:http';
import { noteRequest, whenClosed } from '@recording-request/kit-telemetry/http-requests';
import { idsOf, type SubjectIds } from '@recording-request/kit-telemetry/subject';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProxyWord } from '../adapters/media-offload.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request failed by, for its line in the log: never told to the client. */
    failure: { err: unknown } | undefined;
    /** The ids of what it is about that its address does not have. */
    subject: SubjectIds | undefined;
    /** What a proxy that sends media itself said with the request. */
    offload: ProxyWord | undefined;
  }
}

/** One line a request, however it ends, with its route's pattern: the address itself may carry a token. */
export function installRequestLog(app: FastifyInstance): void {
  app.decorateRequest('failure', undefined);
  app.decorateRequest('subject', undefined);
  app.decorateRequest('offload', undefined);
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url?.startsWith('/healthz')) return;
    whenClosed(reply.raw, () => logRequest(request, reply));
  });
}

type Told = IncomingMessage & { [IS_TOLD]?: true };

const IS_TOLD = Symbol('recording-request.is-told');

/** For what is answered without Fastify's reply. Its request, if it is a part of one, has no other line. */
export function logOnSocket(
  log: FastifyBaseLogger,
  answered: { requestId: string; status: number; reason: string },
  request?: IncomingMessage,
): void {
  if (request) (request as Told)[IS_TOLD] = true;
  log.info({ ...(request?.method && { method: request.method }), route: 'none', ...answered }, 'answered');
}

/** For what fails before there is a route, and has met no hook. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  if ((request.raw as Told)[IS_TOLD]) return;
  const { failure, log, offload } = request;
  const isAnswered = reply.raw.writableFinished;
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
  // A body that stopped short is its client's: it goes on later.
  return reply.statusCode > 500 && reply.getHeader('error-code') !== 'upload_incomplete' ? 'warn' : 'info';
}

/** Gives a request's line in the log and its span the ids that `about` has. */
export function noteSubjectOf(request: FastifyRequest, about: object): void {
  request.subject = { ...request.subject, ...idsOf(about) };
  noteRequest(request.raw, about);
}

/** The ids that a request is about. What is no id is left out: a token may have been pasted in its place. */
function subjectsOf({ owner, dashboard, recipient, params, subject }: FastifyRequest) {
  const ownerId = owner?.userId ?? (dashboard ?? recipient)?.ownerId;
  return { ...(ownerId !== undefined && { ownerId }), ...idsOf(params), ...subject };
}
