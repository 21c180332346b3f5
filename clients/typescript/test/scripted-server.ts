import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  atMs: number;
}

/** A server that answers each request with the next handler, and further requests with the last one. */
export async function scriptedServer(...handlers: Handler[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const handler = handlers[Math.min(seen.length, handlers.length - 1)]!;
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, atMs: performance.now() });
    request.resume().once('end', () => handler(request, response));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Answers with JSON. */
export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(JSON.stringify(body));
  };

/** Answers with an error of the API. */
export const failure = (status: number, code: string, headers: Record<string, string> = {}): Handler =>
  json({ error: `It is ${code}.` }, status, { 'error-code': code, 'request-id': 'r1', ...headers });

/** Ends the connection without an answer. */
export const cut: Handler = request => void request.socket.destroy();
