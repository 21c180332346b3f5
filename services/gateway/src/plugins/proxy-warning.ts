import type { FastifyInstance } from 'fastify';
import { proxyFault } from '../adapters/trusted-proxies.ts';
import type { Context } from '../context.ts';

/** Logs one warning for each way in which requests show that TRUSTED_PROXIES is probably wrong. */
export function installProxyWarning(app: FastifyInstance, { config, log }: Pick<Context, 'config' | 'log'>): void {
  const logged = new Set<string>();
  app.addHook('onRequest', async request => {
    // Probes come from the node and pass no proxy.
    if (request.routeOptions.url?.startsWith('/healthz')) return;
    const peer = request.raw.socket.remoteAddress ?? '';
    const found = proxyFault(config.trustedProxies, peer, request.headers['x-forwarded-for']);
    if (!found || logged.has(found.name)) return;
    logged.add(found.name);
    log.warn(`${found.sentence}. GET /healthz/client shows the address that the gateway uses for a client`);
  });
}
