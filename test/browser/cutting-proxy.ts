import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A browser's request before its body is forwarded. */
export interface ForwardedRequest {
  method: string;
  path: string;
  /** Bytes of the body; 0 without a body. */
  length: number;
  /** The upload's offset at the start of the request. */
  offset: number;
}

/** The place of a cut: after this many bytes of the body, or before the client gets the server's response. */
export type Cut = number | 'answer';

export interface CuttingProxy extends AsyncDisposable {
  origin: string;
  /** Returns the cut for a request; undefined forwards the whole request. */
  decide: (forwarded: ForwardedRequest) => Cut | undefined;
  cuts: number;
}

/**
 * Starts a proxy between browser and server. The proxy cuts connections at the byte that a test chooses, and answers paths
 * of `pages` with their HTML.
 */
export async function startCuttingProxy(target: string, pages: Record<string, string> = {}): Promise<CuttingProxy> {
  const server = createServer((incoming, outgoing) => {
    const html = pages[incoming.url ?? ''];
    if (html !== undefined) return void outgoing.writeHead(200, { 'content-type': 'text/html' }).end(html);
    const forwarded: ForwardedRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      length: Number(incoming.headers['content-length'] ?? 0),
      offset: Number(incoming.headers['upload-offset'] ?? 0),
    };
    const cut = proxy.decide(forwarded);
    if (cut !== undefined) proxy.cuts += 1;
    pass(target, incoming, outgoing, cut);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: CuttingProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    decide: () => undefined,
    cuts: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}

function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse, cut: Cut | undefined): void {
  const url = new URL(incoming.url ?? '', target);
  const upstream = request(url, {
    method: incoming.method,
    headers: { ...incoming.headers, host: url.host },
    agent: false,
  });
  const end = () => {
    upstream.destroy();
    incoming.socket.destroy();
  };
  upstream.on('error', end);
  outgoing.on('close', () => upstream.destroy());
  upstream.on('response', answer => {
    if (cut === 'answer') {
      answer.resume().on('end', end);
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  if (typeof cut !== 'number') {
    incoming.pipe(upstream);
    return;
  }
  let left = cut;
  const send = (chunk: Buffer) => {
    const bytes = chunk.subarray(0, left);
    left -= bytes.length;
    // Cuts the connection only after the forwarded bytes are written.
    upstream.write(bytes, () => left === 0 && end());
  };
  if (cut === 0) end();
  else incoming.on('data', send);
}
