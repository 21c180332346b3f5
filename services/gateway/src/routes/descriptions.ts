import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Context } from '../context.ts';
import { apiDocs } from '../docs/api-docs.ts';
import { type Described, docsPage } from '../docs/docs-page.ts';
import { addExamples, type OpenApiDocument } from '../docs/openapi-examples.ts';
import { type Page, sendPage } from '../docs/send-page.ts';
import { noneMatch } from '../domain/byte-range.ts';
import { open } from '../plugins/access-kinds.ts';
import { sendText } from './answers.ts';

const ASSETS = [{ name: 'pages.css', type: 'text/css' }];

/** What this interface is, for machines and for people, and the files that its pages load. */
export async function descriptionRoutes(app: FastifyInstance, { baseUrl }: Context): Promise<void> {
  // Made once, when it is first asked for: by then every route is there.
  let made: { json: string; page: Page } | undefined;
  const described = () => {
    made ??= describe(app, baseUrl);
    return made;
  };
  app.get(
    '/api/openapi.json',
    { config: open('address'), schema: describing('getOpenApi', 'This interface for machines', 'application/json') },
    async (_request, reply) => reply.type('application/json; charset=utf-8').send(described().json),
  );
  app.get(
    '/api/docs',
    { config: open('address'), schema: describing('getDocsPage', 'This interface as a page', 'text/html') },
    async (_request, reply) => sendPage(reply, 200, described().page),
  );
  const docs = apiDocs(baseUrl);
  app.get(
    '/api/docs.md',
    { config: open('address'), schema: describing('getDocs', 'This interface in prose', 'text/markdown') },
    async (_request, reply) => sendText(reply, 'text/markdown', docs),
  );
  for (const asset of ASSETS) {
    const content = readFileSync(new URL(`../docs/${asset.name}`, import.meta.url), 'utf8');
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
    app.get(`/assets/${asset.name}`, { config: open('none') }, async (request, reply) => {
      reply.header('etag', etag).header('cache-control', 'public, max-age=300');
      if (noneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return sendText(reply, asset.type, content);
    });
  }
}

function describe(app: FastifyInstance, baseUrl: string): { json: string; page: Page } {
  const document = addExamples(app.swagger() as OpenApiDocument, baseUrl);
  return { json: JSON.stringify(document), page: docsPage(document as unknown as Described) };
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
