import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Keeps `content-length: 0` out of a 304 to a HEAD, because a cache would take this for the length of its stored copy.
 * Fastify's own HEAD routes set this length in a later hook if there is no payload, so this hook adds an empty stream.
 */
export function installNotModified(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) =>
    request.method === 'HEAD' && reply.statusCode === 304 ? Readable.from([]) : payload,
  );
}
