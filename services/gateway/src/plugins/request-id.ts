import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { trace } from '@opentelemetry/api';
import { nameRequest } from '@recording-request/kit-telemetry/http-requests';
import type { FastifyInstance } from 'fastify';

/** Returns the id of the running request: its trace's where one is recorded, else 32 hex digits, of which 122 bits are random. */
export const newRequestId = (): string =>
  trace.getActiveSpan()?.spanContext().traceId ?? randomUUID().replaceAll('-', '');

type Named = IncomingMessage & { [ID]?: string };

// A field of the request: a weak map of all that run would cost each collection of garbage.
const ID = Symbol('recording-request.id');

/** Returns the id of a request that is under way; one of its own for bytes that are no request. */
export const requestIdOf = (request: IncomingMessage | undefined): string => (request as Named)?.[ID] ?? newRequestId();

/** Names every answer by the header Request-Id, which the log lines of the request carry too. */
export function installRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    (request.raw as Named)[ID] = request.id;
    reply.header('request-id', request.id);
    nameRequest(request.raw, request.routeOptions.url, request.ip);
  });
}
