import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { trace } from '@opentelemetry/api';
import { nameRequest } from '@recording-request/kit-telemetry/http-requests';
import type { FastifyInstance } from 'fastify';

/** Returns the id of the running request: its trace id; without a trace, 32 hex digits with 122 random bits. */
export const newRequestId = (): string =>
  trace.getActiveSpan()?.spanContext().traceId ?? randomUUID().replaceAll('-', '');

const ids = new WeakMap<IncomingMessage, string>();

/** Returns the id of the running request; a new id for received bytes that are not a request. */
export const requestIdOf = (request: IncomingMessage | undefined): string =>
  (request && ids.get(request)) ?? newRequestId();

/** Sets the header Request-Id of every answer; the request's log lines have the same id. */
export function installRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    ids.set(request.raw, request.id);
    reply.header('request-id', request.id);
    nameRequest(request.raw, request.routeOptions.url, request.ip);
  });
}
