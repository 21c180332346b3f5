import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Removes the length from a 304 to a HEAD. Fastify's own HEAD routes set `content-length: 0` without a payload, which a
 * cache takes for the length of its stored copy. Fastify's hook belongs to the route, so this hook runs earlier.
 */
export function installNotModified(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) =>
    request.method === 'HEAD' && reply.statusCode === 304 ? Readable.from([]) : payload,
  );
}
