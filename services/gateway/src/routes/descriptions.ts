import { readFileSync } from 'node:fs';
import { etagOfText } from '@recording-request/contract/etag';
import { encodingFor } from '@recording-request/web-shared/assets';
import { tokenStyle } from '@recording-request/web-shared/tokens';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Context } from '../context.ts';
import { apiDocs } from '../docs/api-docs.ts';
import { type Described, docsPage } from '../docs/docs-page.ts';
import { guidePage, guidesOf, guideText, llmsTxt } from '../docs/guides.ts';
import { addExamples, type OpenApiDocument } from '../docs/openapi-examples.ts';
import { type Page, renderPage } from '../docs/render-page.ts';
import { noneMatch } from '../domain/byte-range.ts';
import { open } from '../plugins/access-kinds.ts';
import { compress, varyByEncoding } from '../plugins/compression.ts';

const ASSETS = [
  { name: 'pages.css', type: 'text/css' },
  { name: 'docs.js', type: 'text/javascript' },
];
const ASSET_SECONDS = 300;

/** Content that does not depend on the caller and changes only with a new version. */
interface Kept {
  type: string;
  /** One buffer per encoding, made once and shared by all readers. */
  bytes: Partial<Record<ReturnType<typeof encodingFor>, Promise<Buffer>>>;
  etag: string;
  headers: Record<string, string>;
}

/** Serves the descriptions of this API for programs and people, and the files of their pages. */
export async function descriptionRoutes(app: FastifyInstance, { baseUrl, config }: Context): Promise<void> {
  const pageOf = (page: Page): Kept => {
    const { text, headers } = renderPage(app.brandMark, page);
    return kept('text/html', text, { ...headers, ...REVALIDATED });
  };
  const guides = guidesOf(config);
  // Made once, at the first request, when every route is registered.
  const described = once(() => {
    const document = addExamples(app.swagger() as OpenApiDocument, baseUrl);
    const json = kept('application/json', JSON.stringify(document), REVALIDATED);
    return { json, page: pageOf(docsPage(document as unknown as Described, guides)) };
  });
  const docs = once(() => kept('text/markdown', apiDocs(baseUrl, config), REVALIDATED));
  const llms = once(() => kept('text/plain', llmsTxt(baseUrl, guides), REVALIDATED));
  const ROUTES: [path: string, id: string, summary: string, type: string, content: () => Kept][] = [
    ['/api/openapi.json', 'getOpenApi', 'This interface for machines', 'application/json', () => described().json],
    ['/api/docs', 'getDocsPage', 'This interface as a page', 'text/html', () => described().page],
    ['/api/docs.md', 'getDocs', 'This interface in prose', 'text/markdown', docs],
    ['/llms.txt', 'getLlmsTxt', 'The documents for language models', 'text/plain', llms],
  ];
  for (const [path, id, summary, type, content] of ROUTES) {
    app.get(path, { config: open('address'), schema: describing(id, summary, type) }, async (request, reply) =>
      send(request, reply, content()),
    );
  }
  // Each guide is a page, and Markdown at the same address with .md.
  for (const guide of guides) {
    const page = once(() => pageOf(guidePage(guide, guides, baseUrl)));
    const text = once(() => kept('text/markdown', guideText(guide, guides, baseUrl), REVALIDATED));
    const [pageSchema, textSchema] = guide.name === 'recorder' ? RECORDER : [];
    const path = `/api/docs/${guide.name}`;
    app.get(path, { config: open('address'), schema: pageSchema }, async (request, reply) =>
      send(request, reply, page()),
    );
    app.get(`${path}.md`, { config: open('address'), schema: textSchema }, async (request, reply) =>
      send(request, reply, text()),
    );
  }
  for (const { name, type } of ASSETS) {
    const file = readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');
    const text = type === 'text/css' ? tokenStyle + file : file;
    const asset = kept(type, text, { 'cache-control': `public, max-age=${ASSET_SECONDS}` });
    app.get(`/assets/${name}`, { config: open('asset') }, async (request, reply) => send(request, reply, asset));
  }
}

// The client caches the answer, but checks its ETag before each use.
const REVALIDATED = { 'cache-control': 'public, no-cache' };

function kept(type: string, text: string, headers: Record<string, string>): Kept {
  const bytes = { identity: Promise.resolve(Buffer.from(text)) };
  return { type: `${type}; charset=utf-8`, bytes, etag: etagOfText(text), headers };
}

async function send(request: FastifyRequest, reply: FastifyReply, kept: Kept): Promise<FastifyReply> {
  const { type, bytes, etag, headers } = kept;
  reply.headers({ ...headers, etag });
  if (noneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const encoding = encodingFor(request.headers['accept-encoding']);
  if (encoding !== 'identity') {
    bytes[encoding] ??= bytes.identity!.then(compress[encoding]);
    varyByEncoding(reply);
    reply.header('content-encoding', encoding);
  }
  return reply.type(type).send(await bytes[encoding]);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
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

// openapi.json describes this guide alone; the others are documents, not part of the interface.
const RECORDER = [
  describing('getRecorderDocs', 'How to build your own recorder', 'text/html'),
  describing('getRecorderDocsText', 'How to build your own recorder, as Markdown', 'text/markdown'),
];
