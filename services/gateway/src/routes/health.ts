import type { FastifyInstance } from 'fastify';
import { hopsOf } from '../adapters/trusted-proxies.ts';
import type { Context } from '../context.ts';
import { open } from '../plugins/access-kinds.ts';

/**
 * The longest wait for a service at the start. A service that stays down longer is probably down for all gateways, so
 * waiting does not help.
 */
const REACHED_MS = 10_000;
const FORWARDED_MAX = 20;

/** Answers 200 while the gateway serves. When a service is down, only the routes that need this service answer 503. */
export async function healthRoutes(app: FastifyInstance, { services }: Context): Promise<void> {
  app.get('/healthz', { config: open('probe') }, async () => ({ status: 'ok' }));
  // A network policy or a service's name needs some time to include a new pod; requests before that would fail.
  let isStarted = false;
  void services.connected(REACHED_MS).then(() => {
    isStarted = true;
  });
  app.get('/healthz/started', { config: open('probe') }, async (_request, reply) =>
    isStarted ? { status: 'ok' } : reply.code(503).send({ error: 'The services behind are not reached yet.' }),
  );
  // Shows an operator whether TRUSTED_PROXIES is right. A caller sees only its own request.
  app.get('/healthz/client', { config: open('probe') }, async ({ ip, headers }) => ({
    address: ip,
    forwardedFor: hopsOf(headers['x-forwarded-for']).slice(0, FORWARDED_MAX),
  }));
  // Responds at the address that a person opens first, and at the address that every browser requests.
  app.get('/', { config: open('asset') }, async (_request, reply) => reply.redirect('/api/docs'));
  app.get('/favicon.ico', { config: open('asset') }, async (_request, reply) => reply.code(204).send());
}
