import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { open } from '../plugins/access-kinds.ts';

const STYLE_SECONDS = 300;

/** Serves the operator's colours and logo, to which the pages link. */
export async function brandRoutes(app: FastifyInstance, { brand, config }: Context): Promise<void> {
  app.get('/assets/brand.css', { config: open('asset') }, async (_request, reply) =>
    reply.header('cache-control', `public, max-age=${STYLE_SECONDS}`).type('text/css; charset=utf-8').send(brand.style),
  );

  const logo = config.brandLogo;
  if (!logo) return;
  // An SVG opened as a page runs no script: every answer has the policy default-src 'none'.
  app.get(`/assets/${logo.name}`, { config: open('asset') }, async (_request, reply) =>
    // The name has a hash of the content.
    reply.header('cache-control', 'public, max-age=31536000, immutable').type(logo.type).send(logo.bytes),
  );
}
