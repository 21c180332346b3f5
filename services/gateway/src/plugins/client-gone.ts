import { callScope } from '@recording-request/kit/call-scope';
import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Aborts when the client leaves before it has its answer. Fastify's own `signal` also aborts when a body has been read. */
    clientGone: AbortSignal;
  }
}

const READS = new Set(['GET', 'HEAD']);

/**
 * When the client of a read leaves, cancels the read's calls to services, so that no handler has to. Writes continue without
 * their client. Install it after the access plugin, because several clients share that plugin's look-ups.
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
  // The client left during the look-up of its token: no second event follows.
  if (reply.raw.destroyed) controller.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
