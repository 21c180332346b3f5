import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { open } from '../plugins/access-kinds.ts';

/** A service that is away longer than this is not waited for: it may be away from everybody. */
const REACHED_MS = 10_000;

/** 200 for as long as it serves: a service behind it that is down shows in the 503 of a route that needs it. */
export async function healthRoutes(app: FastifyInstance, { services }: Context): Promise<void> {
  app.get('/healthz', { config: open('probe') }, async () => ({ status: 'ok' }));
  // A network policy, or the name of a service, takes a while until it knows a new pod: requests that come before would wait in vain.
  let isStarted = false;
  void services.connected(REACHED_MS).then(() => {
    isStarted = true;
  });
  app.get('/healthz/started', { config: open('probe') }, async (_request, reply) =>
    isStarted ? { status: 'ok' } : reply.code(503).send({ error: 'The services behind are not reached yet.' }),
  );
  // The address that a person opens first, and the one that a browser asks for by itself.
  app.get('/', { config: open('asset') }, async (_request, reply) => reply.redirect('/api/docs'));
  app.get('/favicon.ico', { config: open('asset') }, async (_request, reply) => reply.code(204).send());
}
