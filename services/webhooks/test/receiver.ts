import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  at: number;
}

export type Respond = (request: Received, response: ServerResponse, incoming: IncomingMessage) => void;

/** A real HTTP endpoint. `respond` may be changed at any time; it answers 204 at first. */
export async function startReceiver(host = '127.0.0.1') {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let connections = 0;
  const receiver = { respond: ((_request, response) => response.writeHead(204).end()) as Respond };
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { url = '', headers } = incoming;
    const request = { path: url, headers, body: Buffer.concat(chunks), at: Date.now() };
    received.push(request);
    receiver.respond(request, response, incoming);
    for (const look of waiting) look();
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return Object.assign(receiver, {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    connections: () => connections,
    /** The requests that `fits` says yes to, once there are `count` of them. */
    async waitFor(count: number, fits: (request: Received) => boolean = () => true, limitMs = 20_000) {
      const signal = AbortSignal.timeout(limitMs);
      for (;;) {
        const found = received.filter(fits);
        if (found.length >= count) return found;
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const late = () => reject(new Error(`only ${found.length} of ${count} requests came in ${limitMs} ms`));
        waiting.add(resolve);
        signal.addEventListener('abort', late, { once: true });
        if (signal.aborted) late();
        await promise.finally(() => {
          waiting.delete(resolve);
          signal.removeEventListener('abort', late);
        });
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  });
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
