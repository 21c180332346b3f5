import { encodingFor, type PageAssets } from '@recording-request/web-shared/assets';
import type { FastifyInstance } from 'fastify';
import { open } from '../plugins/access-kinds.ts';

/** Serves a page's script and its chunks under names that change with their content, so that clients cache them for a year. */
export function pageAssetRoutes(app: FastifyInstance, { scripts }: PageAssets): void {
  for (const [name, script] of scripts) {
    app.get(`/assets/${name}`, { config: open('asset') }, async (request, reply) => {
      const encoding = encodingFor(request.headers['accept-encoding']);
      if (encoding !== 'identity') reply.header('content-encoding', encoding);
      return reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('vary', 'accept-encoding')
        .type('text/javascript; charset=utf-8')
        .send(script[encoding]);
    });
  }
}
