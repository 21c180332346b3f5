import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Lets a 304 to a HEAD tell no length. Fastify's own HEAD routes say `content-length: 0` of no payload, which a cache takes
 * for the length of what it keeps; they say nothing of a stream. Their hook is a route's, so that this one runs before it.
 */
export function installNotModified(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) =>
    request.method === 'HEAD' && reply.statusCode === 304 ? Readable.from([]) : payload,
  );
}
