import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Prometheus } from '@recording-request/harness/prometheus';
import { buildSync } from 'esbuild';
import type { Answer } from './answer.ts';
import { documentPage } from './documents.ts';
import { passOn } from './proxy.ts';
import { dashboardPage, findTrace, homePage, type PageContext, queryPage } from './routes.ts';
import { Traces } from './traces.ts';
import { renderDocument, renderFault } from './views.ts';

export interface PageOptions {
  prometheusUrl: string;
  alertmanagerUrl: string;
  zipkinUrl: string;
  /** The folder of dashboards in Grafana's format. */
  dashboardsDir: string;
  /** The folder whose Markdown files the page shows; the runbooks are in docs/runbooks. */
  repositoryDir: string;
  /** Milliseconds between two scrapes of Prometheus. */
  scrapeMs: number;
  /** The port; a free one by default. */
  port?: number | undefined;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'";
const fileAt = (url: string) => readFileSync(fileURLToPath(url), 'utf8');
const bundleOf = (url: string) =>
  buildSync({ entryPoints: [fileURLToPath(url)], bundle: true, minify: true, write: false, format: 'esm' })
    .outputFiles[0]!.text;
const STYLE = ['uplot/dist/uPlot.min.css', './browser/page.css']
  .map(name => fileAt(import.meta.resolve(name)))
  .join('\n');
const ASSETS: Record<string, { type: string; content: string }> = {
  '/page.css': { type: 'text/css', content: STYLE },
  '/live.js': { type: 'text/javascript', content: bundleOf(import.meta.resolve('./browser/live.ts')) },
};

// The read-only paths of Prometheus. Its other paths change data.
const READ = /^\/api\/v1\/(query|query_range|series|labels|alerts|label\/\w+\/values)$/;

/** Serves one address on 127.0.0.1: the page, Zipkin's pages below /zipkin/, and Prometheus's read API below /api/v1/. */
export async function startPage(options: PageOptions): Promise<AsyncDisposable & { url: string }> {
  const context: PageContext = {
    prometheus: new Prometheus(options.prometheusUrl),
    traces: new Traces(options.zipkinUrl),
    alertmanagerUrl: options.alertmanagerUrl,
    dashboardsDir: options.dashboardsDir,
    repositoryDir: options.repositoryDir,
    scrapeSeconds: options.scrapeMs / 1000,
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://page');
    if (url.pathname.startsWith('/zipkin/')) passOn(request, response, options.zipkinUrl);
    else if (READ.test(url.pathname) && request.method === 'GET') passOn(request, response, options.prometheusUrl);
    else void reply(request, response, url, context);
  });
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>(resolve => void server.close(() => resolve()));
    },
  };
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  context: PageContext,
): Promise<void> {
  const file = ASSETS[url.pathname];
  if (file) {
    response.writeHead(200, { 'content-type': `${file.type}; charset=utf-8` }).end(file.content);
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const answer = await route(url, context).catch((error: unknown) => ({
    status: 500,
    page: renderDocument('Fault', renderFault(error)),
  }));
  if ('location' in answer) {
    response.writeHead(303, { location: answer.location }).end();
    return;
  }
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY };
  response.writeHead(answer.status ?? 200, { ...headers, 'cache-control': 'no-store' }).end(answer.page);
}

async function route({ pathname, searchParams }: URL, context: PageContext): Promise<Answer> {
  const [, room = '', name = ''] = pathname.split('/').map(decodeURIComponent);
  switch (room) {
    case '':
      return homePage(context);
    case 'd':
      // Grafana's dashboards link to each other by this path.
      return { location: `/dashboards/${encodeURIComponent(name)}` };
    case 'dashboards':
      return dashboardPage(name, searchParams, context);
    case 'query':
      return queryPage(searchParams, context);
    case 'find':
      return findTrace(searchParams.get('id') ?? '', context);
    case 'zipkin':
      return { location: '/zipkin/' };
    default:
      if (pathname.endsWith('.md')) return documentPage(pathname, context.repositoryDir);
      return {
        status: 404,
        page: renderDocument('Not found', renderFault('There is no such page.')),
      };
  }
}
