import type { FastifyInstance } from 'fastify';
import type { Brand } from '../pages/brand.ts';
import { encodingFor, type RecorderAssets } from '../pages/recorder-assets.ts';
import { open } from '../plugins/access-kinds.ts';

// What has a hash of its content in its name is kept for a year.
const FOR_LONG = 'public, max-age=31536000, immutable';
const BRAND_SECONDS = 300;

/** The recorder's script, and what the operator makes the pages their own with. */
export function recorderAssetRoutes(app: FastifyInstance, assets: RecorderAssets, brand: Brand): void {
  app.get(`/assets/${assets.scriptName}`, { config: open('none') }, async (request, reply) => {
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply
      .header('cache-control', FOR_LONG)
      .header('vary', 'accept-encoding')
      .type('text/javascript; charset=utf-8')
      .send(assets.script[encoding]);
  });

  app.get('/assets/brand.css', { config: open('none') }, async (_request, reply) =>
    reply.header('cache-control', `public, max-age=${BRAND_SECONDS}`).type('text/css; charset=utf-8').send(brand.style),
  );

  const { logo } = brand;
  if (!logo) return;
  // An SVG that is opened by itself runs nothing: the policy of every answer is default-src 'none'.
  app.get(`/assets/${logo.name}`, { config: open('none') }, async (_request, reply) =>
    reply.header('cache-control', FOR_LONG).type(logo.type).send(logo.bytes),
  );
}
