import type { FastifyReply } from 'fastify';

/** Fires when the client goes away before it has its answer. Not `request.signal`, which also fires once a body is read. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
