import { randomBytes } from 'node:crypto';
import { trace } from '@opentelemetry/api';
import { nameRequest } from '@recording-request/kit/telemetry/http-requests';
import { noteSubject } from '@recording-request/kit/telemetry/subject';
import type { FastifyInstance } from 'fastify';

/** Returns the id of the running request: its trace's where one is recorded, else 32 random hex digits. */
export const newRequestId = (): string =>
  trace.getActiveSpan()?.spanContext().traceId ?? randomBytes(16).toString('hex');

/** Names every answer by the header Request-Id, which the log lines of the request carry too. */
export function installRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('request-id', request.id);
    nameRequest(request.raw, request.routeOptions.url, request.ip);
    noteSubject(request.params);
  });
}
