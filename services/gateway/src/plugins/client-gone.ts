import { callScope } from '@recording-request/kit/call-scope';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { outerSignal } from './internal-calls.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Aborts when the client disconnects before it has its answer. Fastify's own `signal` also aborts when a body has
     * been read.
     */
    clientGone: AbortSignal;
  }
}

const READS = new Set(['GET', 'HEAD']);

/**
 * When the client of a read disconnects, cancels the read's calls to services, so that handlers need no code for this.
 * Writes continue without their client. Install this after the access plugin, because several clients share the
 * look-ups of that plugin.
 */
export function installClientGone(app: FastifyInstance): void {
  app.decorateRequest('clientGone');
  app.addHook('onRequest', (request, reply, done) => {
    const outer = outerSignal();
    request.clientGone = outer ? AbortSignal.any([outer, signalOf(reply)]) : signalOf(reply);
    if (READS.has(request.method)) callScope.run({ signal: request.clientGone, deadlineAt: Infinity }, done);
    else done();
  });
}

function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // The client may have disconnected during the look-up of its token; then no second event follows.
  if (reply.raw.destroyed) controller.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
