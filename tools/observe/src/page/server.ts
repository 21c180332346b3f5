import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { html } from '@recording-request/web-shared/html';
import { passOn } from './proxy.ts';

export interface PageOptions {
  prometheusUrl: string;
  alertmanagerUrl: string;
  zipkinUrl: string;
  /** Holds dashboards in Grafana's format. */
  dashboardsDir: string;
  /** A free one by default. */
  port?: number | undefined;
}

/** Serves the one address, on 127.0.0.1: the page, and behind it Zipkin's pages and the interfaces of the others. */
export async function startPage(options: PageOptions): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((request, response) => answer(request, response, options));
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

function answer(request: IncomingMessage, response: ServerResponse, options: PageOptions): void {
  const { pathname } = new URL(request.url ?? '/', 'http://page');
  if (pathname.startsWith('/zipkin/')) {
    passOn(request, response, options.zipkinUrl);
    return;
  }
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end(html`<!doctype html><title>Observe</title>`.text);
}
