import type { FastifyReply } from 'fastify';

/** Fires when the client goes away before it has its answer. Not `request.signal`, which also fires once a body is read. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // Gone already, while its token was looked up: there is no second event.
  if (reply.raw.destroyed) controller.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
