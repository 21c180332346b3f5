import { callScope } from '@recording-request/kit/call-scope';
import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Aborts when the client goes away before it has its answer. Fastify's own `signal` also aborts once a body is read. */
    clientGone: AbortSignal;
  }
}

const READS = new Set(['GET', 'HEAD']);

/**
 * Cancels the calls to the services that a read makes when its client goes away, so that no handler has to. Writes go on
 * without their client. Install it after the access plugin, whose look-ups several clients share.
 */
export function installClientGone(app: FastifyInstance): void {
  app.decorateRequest('clientGone');
  app.addHook('onRequest', (request, reply, done) => {
    request.clientGone = signalOf(reply);
    if (READS.has(request.method)) callScope.run({ signal: request.clientGone, deadlineAt: Infinity }, done);
    else done();
  });
}

function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // Gone already, while its token was looked up: there is no second event.
  if (reply.raw.destroyed) controller.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
