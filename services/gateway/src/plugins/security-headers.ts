import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';

const NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const HSTS = 'max-age=31536000';

declare module 'fastify' {
  interface FastifyInstance {
    securityHeaders: Record<string, string>;
  }
}

/** Sets these headers on every answer, including errors. A route with a page sets its own policy. */
export function installSecurityHeaders(app: FastifyInstance, { baseUrl }: Pick<Context, 'baseUrl'>): void {
  app.decorate('securityHeaders', {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': NOTHING,
    'cache-control': 'no-store',
    ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': HSTS } : {}),
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(app.securityHeaders);
  });
}
