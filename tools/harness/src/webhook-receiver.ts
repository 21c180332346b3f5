import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  /** The raw bytes, which a signature covers. */
  body: Buffer;
  /** The time when the whole request had arrived, by Date.now(). */
  at: number;
}

export type Respond = (request: ReceivedRequest, response: ServerResponse, incoming: IncomingMessage) => void;

/** An endpoint that keeps the requests it receives. */
export interface Receiver extends AsyncDisposable {
  port: number;
  /** `http(s)://<host>:<port>/hook`, 127.0.0.1 by default; other paths work too. */
  url: string;
  received: ReceivedRequest[];
  /** Sets the status of later responses; 204 at first. */
  respond: Respond;
  /** The number of connections so far. */
  connections(): number;
  /** Waits for `count` requests that `fits` accepts, by default for 20 s, and returns them. */
  waitFor(count: number, fits?: (request: ReceivedRequest) => boolean, limitMs?: number): Promise<ReceivedRequest[]>;
}

export interface ReceiverOptions {
  host?: string;
  /** The port; a free one by default. */
  port?: number;
  /** The certificate for HTTPS. Without it, the receiver uses HTTP. */
  certificate?: { key: string; cert: string };
  /** Returns whether to keep a request. By default, the receiver keeps all requests. */
  keeps?: (incoming: IncomingMessage) => boolean;
}

const WAIT_MS = 20_000;
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { host = '127.0.0.1', certificate, keeps = () => true } = options;
  const received: ReceivedRequest[] = [];
  const looks = new Set<() => void>();
  let connections = 0;
  const take = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await read(incoming);
    if (!body) return void response.writeHead(413, { connection: 'close' }).end();
    const request = { path: incoming.url ?? '', headers: incoming.headers, body, at: Date.now() };
    if (keeps(incoming)) received.push(request);
    for (const look of looks) look();
    receiver.respond(request, response, incoming);
  };
  // Ignores a request that its sender did not complete.
  const listener = (incoming: IncomingMessage, response: ServerResponse) =>
    void take(incoming, response).catch(() => response.destroy());
  const server = certificate ? createSecureServer(certificate, listener) : createServer(listener);
  server.on('tlsClientError', () => {});
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    port,
    url: `${certificate ? 'https' : 'http'}://${host === '::' ? '127.0.0.1' : host}:${port}/hook`,
    received,
    respond: (_request, response) => response.writeHead(204).end(),
    connections: () => connections,
    async waitFor(count, fits = () => true, limitMs = WAIT_MS) {
      const { promise, resolve, reject } = Promise.withResolvers<ReceivedRequest[]>();
      const look = () => {
        try {
          const found = received.filter(fits);
          if (found.length >= count) resolve(found);
        } catch (error) {
          reject(error);
        }
      };
      const limit = setTimeout(
        () => reject(new Error(`${count} requests did not arrive within ${limitMs} ms`)),
        limitMs,
      );
      looks.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(limit);
        looks.delete(look);
      });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return receiver;
}

/** Returns undefined when the body is too large. */
async function read(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
