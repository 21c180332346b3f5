import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Gatehouse } from '../app.ts';
import { noneMatch } from '../domain/byte-range.ts';
import { apiDocs } from '../pages/api-docs.ts';
import { open } from '../plugins/access-kinds.ts';
import { sendText } from './schema.ts';

const ASSETS = [
  { name: 'recorder.js', type: 'text/javascript' },
  { name: 'pages.css', type: 'text/css' },
];

/** What this interface is, for machines and for people, and the files that its pages load. */
export async function descriptionRoutes(app: FastifyInstance, { baseUrl }: Gatehouse): Promise<void> {
  app.get(
    '/api/openapi.json',
    { config: open('address'), schema: describing('getOpenApi', 'This interface for machines', 'application/json') },
    async (_request, reply) => reply.type('application/json; charset=utf-8').send(openApi(app)),
  );
  const docs = apiDocs(baseUrl);
  app.get(
    '/api/docs.md',
    { config: open('address'), schema: describing('getDocs', 'This interface in prose', 'text/markdown') },
    async (_request, reply) => sendText(reply, 'text/markdown', docs),
  );
  for (const asset of ASSETS) {
    const content = readFileSync(new URL(`../pages/assets/${asset.name}`, import.meta.url), 'utf8');
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
    app.get(`/assets/${asset.name}`, { config: open('none') }, async (request, reply) => {
      reply.header('etag', etag).header('cache-control', 'public, max-age=300');
      if (noneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return sendText(reply, asset.type, content);
    });
  }
}

// The document is made once, when it is first asked for: by then every route is there.
let made: { app: FastifyInstance; json: string } | undefined;
function openApi(app: FastifyInstance): string {
  if (made?.app !== app) made = { app, json: JSON.stringify(app.swagger()) };
  return made.json;
}

const describing = (operationId: string, summary: string, type: string): FastifySchema => ({
  operationId,
  tags: ['descriptions'],
  summary,
  response: {
    200: {
      description: 'The description.',
      content: { [type]: { schema: type.endsWith('json') ? {} : { type: 'string' } } },
    },
  },
});
