import { newAssets } from '@recording-request/web-new/assets';
import { renderNew } from '@recording-request/web-new/page';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { open } from '../plugins/access-kinds.ts';
import { sendDocument } from './answers.ts';
import { pageAssetRoutes } from './page-assets.ts';

/** Serves the page on which an owner creates a project. It needs no token: the page sends the owner's token to the API. */
export async function newPageRoutes(app: FastifyInstance, { baseUrl, brand }: Context): Promise<void> {
  const assets = newAssets();
  const look = { style: assets.style, scriptName: assets.scriptName, brand };
  pageAssetRoutes(app, assets);
  app.get('/new', { config: open('contributor'), schema: { hide: true } }, async (_request, reply) =>
    sendDocument(reply, 200, renderNew(look, { baseUrl })),
  );
}
