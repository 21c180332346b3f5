import type { FastifyInstance } from 'fastify';
import { open } from '../plugins/access-kinds.ts';

/** 200 for as long as it serves: what stands behind the gateway is told by the 503 of a route that needs it. */
export async function healthRoutes(app: FastifyInstance): Promise<void> {
  app.get('/healthz', { config: open('none') }, async () => ({ status: 'ok' }));
  // What a person opens first, and what a browser asks for by itself.
  app.get('/', { config: open('none') }, async (_request, reply) => reply.redirect('/api/docs'));
  app.get('/favicon.ico', { config: open('none') }, async (_request, reply) => reply.code(204).send());
}
