import { encodingFor, type PageAssets } from '@recording-request/web-shared/assets';
import type { FastifyInstance } from 'fastify';
import { open } from '../plugins/access-kinds.ts';

/** Serves a page's script under a name that changes with its content, so that clients cache it for a year. */
export function pageAssetRoutes(app: FastifyInstance, assets: PageAssets): void {
  app.get(`/assets/${assets.scriptName}`, { config: open('asset') }, async (request, reply) => {
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('vary', 'accept-encoding')
      .type('text/javascript; charset=utf-8')
      .send(assets.script[encoding]);
  });
}
