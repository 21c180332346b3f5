import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { trace } from '@opentelemetry/api';
import { nameRequest } from '@recording-request/kit-telemetry/http-requests';
import type { FastifyInstance } from 'fastify';

/** Returns the id of the running request: its trace's where one is recorded, else 32 hex digits, of which 122 bits are random. */
export const newRequestId = (): string =>
  trace.getActiveSpan()?.spanContext().traceId ?? randomUUID().replaceAll('-', '');

const ids = new WeakMap<IncomingMessage, string>();

/** Returns the id of a running request; a new one for bytes that are no request. */
export const requestIdOf = (request: IncomingMessage | undefined): string =>
  (request && ids.get(request)) ?? newRequestId();

/** Names every answer by the header Request-Id, which the log lines of the request carry too. */
export function installRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    ids.set(request.raw, request.id);
    reply.header('request-id', request.id);
    nameRequest(request.raw, request.routeOptions.url, request.ip);
  });
}
