import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Certificate } from '@recording-request/stack/authority';
import { until } from './wait.ts';

export interface ReceivedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** When the whole of it had come, by Date.now(). */
  at: number;
}

export type Respond = (request: ReceivedRequest, response: ServerResponse, incoming: IncomingMessage) => void;

/** An endpoint that keeps what it is sent. */
export interface Receiver extends AsyncDisposable {
  port: number;
  /** `http(s)://<host>:<port>/hook`, 127.0.0.1 by default; any other path is taken as well. */
  url: string;
  received: ReceivedRequest[];
  /** How it answers from now on; 204 at first. */
  respond: Respond;
  /** The connections that were opened so far. */
  connections(): number;
  /** Waits for `count` requests that `fits` accepts, and returns them. */
  waitFor(count: number, fits?: (request: ReceivedRequest) => boolean, limitMs?: number): Promise<ReceivedRequest[]>;
}

/** Starts a receiver on a free port; with a certificate it speaks HTTPS. */
export async function startReceiver(options: { host?: string; certificate?: Certificate } = {}): Promise<Receiver> {
  const { host = '127.0.0.1', certificate } = options;
  const received: ReceivedRequest[] = [];
  let connections = 0;
  const take = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(incoming);
    const request = { path: incoming.url ?? '', headers: incoming.headers, body, at: Date.now() };
    received.push(request);
    receiver.respond(request, response, incoming);
  };
  // A sender that goes away in the middle of its request has sent none.
  const listener = (incoming: IncomingMessage, response: ServerResponse) =>
    void take(incoming, response).catch(() => response.destroy());
  const server = certificate ? createSecureServer(certificate, listener) : createServer(listener);
  server.on('tlsClientError', () => {});
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    port,
    url: `${certificate ? 'https' : 'http'}://${host === '::' ? '127.0.0.1' : host}:${port}/hook`,
    received,
    respond: (_request, response) => response.writeHead(204).end(),
    connections: () => connections,
    waitFor: (count, fits = () => true, limitMs) =>
      until(
        `${count} requests come`,
        () => {
          const found = received.filter(fits);
          return found.length >= count && found;
        },
        { limitMs },
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return receiver;
}
