import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Removes the length from a 304 to a HEAD. Fastify's own HEAD routes set `content-length: 0` without a payload, which a
 * cache reads as the length of its stored copy. Their hook belongs to the route, so this one runs earlier.
 */
export function installNotModified(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) =>
    request.method === 'HEAD' && reply.statusCode === 304 ? Readable.from([]) : payload,
  );
}
