import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';

const NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const HSTS = 'max-age=31536000';

/** On every answer, also an error's; a route that shows a page sets its own policy. */
export function installSecurityHeaders(app: FastifyInstance, { baseUrl }: Pick<Context, 'baseUrl'>): void {
  const secure = baseUrl.startsWith('https:');
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': NOTHING,
      'cache-control': 'no-store',
    });
    if (secure) reply.header('strict-transport-security', HSTS);
  });
}
