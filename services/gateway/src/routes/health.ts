import type { FastifyInstance } from 'fastify';
import { open } from '../plugins/access-kinds.ts';

/** 200 for as long as it serves: a service behind it that is down shows in the 503 of a route that needs it. */
export async function healthRoutes(app: FastifyInstance): Promise<void> {
  app.get('/healthz', { config: open('none') }, async () => ({ status: 'ok' }));
  // The address that a person opens first, and the one that a browser asks for by itself.
  app.get('/', { config: open('none') }, async (_request, reply) => reply.redirect('/api/docs'));
  app.get('/favicon.ico', { config: open('none') }, async (_request, reply) => reply.code(204).send());
}
