import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Removes the length from a 304 to a HEAD. Without a payload, Fastify's own HEAD routes set `content-length: 0`, and a
 * cache would take this for the length of its stored copy. Fastify sets it in a hook of the route; this hook runs
 * before that.
 */
export function installNotModified(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) =>
    request.method === 'HEAD' && reply.statusCode === 304 ? Readable.from([]) : payload,
  );
}
