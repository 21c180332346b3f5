import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A proxy that counts the requests to a server. */
export interface Tap extends AsyncDisposable {
  /** The URL for the services, which replaces the URL of the server. */
  url: string;
  /** The number of requests so far, by name. */
  counts: ReadonlyMap<string, number>;
}

type Count = (name: string) => void;
type ReadChunk = (chunk: Buffer) => void;

/**
 * Starts the proxy. Calls `reader` for each connection. The proxy calls the returned functions for each chunk from the
 * client and from the server.
 */
export async function openTap(
  server: { hostname: string; port: number },
  reader: (count: Count) => { fromClient: ReadChunk; fromServer?: ReadChunk },
): Promise<Omit<Tap, 'url'> & { address: string }> {
  const counts = new Map<string, number>();
  const sockets = new Set<Disposable>();
  const count: Count = name => counts.set(name, (counts.get(name) ?? 0) + 1);
  const proxy = createServer(client => {
    const upstream = connect(server.port, server.hostname);
    const both = { [Symbol.dispose]: () => [client, upstream].forEach(each => void each.destroy()) };
    sockets.add(both);
    const { fromClient, fromServer } = reader(count);
    client.on('data', fromClient);
    if (fromServer) upstream.on('data', fromServer);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.setNoDelay();
      one.on('error', () => other.destroy());
      one.on('close', () => sockets.delete(both));
      one.pipe(other);
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    counts,
    async [Symbol.asyncDispose]() {
      for (const each of sockets) each[Symbol.dispose]();
      await new Promise(resolve => proxy.close(resolve));
    },
  };
}
