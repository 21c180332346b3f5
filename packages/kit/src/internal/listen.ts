import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { splitListen } from '../config.ts';
import type { Internal } from './internal.ts';
import { whenKnown } from './sniff.ts';

export interface Listening {
  port: number;
  /**
   * Takes no more connections. Resolves once those that were handed to the server have ended: of these it does not know, when it is shut
   * down, that calls still run on them.
   */
  close(): Promise<void>;
  /** Ends the connections that are left. */
  end(): void;
}

/** Binds a gRPC server to `listen` for the kinds of connections that `internal` takes. */
export async function bind(server: Server, listen: string, internal: Internal): Promise<Listening> {
  const { plaintext, tls } = internal.takes;
  if (plaintext && tls) return await bindBoth(server, listen, internal);
  return await new Promise((resolve, reject) =>
    server.bindAsync(listen, internal.tlsServer(), (error, port) =>
      error ? reject(error) : resolve({ port, async close() {}, end() {} }),
    ),
  );
}

async function bindBoth(server: Server, listen: string, internal: Internal): Promise<Listening> {
  const tls = server.createConnectionInjector(internal.tlsServer());
  const plain = server.createConnectionInjector(ServerCredentials.createInsecure());
  const open = new Set<Socket>();
  // Have not sent a byte yet.
  const unknown = new Set<Socket>();
  const front = createServer(socket => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      unknown.delete(socket);
    });
    unknown.add(socket);
    socket.setNoDelay();
    whenKnown(socket, isTls => {
      unknown.delete(socket);
      (isTls ? tls : plain).injectConnection(socket);
    });
  });
  const { host, port } = splitListen(listen);
  front.listen(port, host);
  await once(front, 'listening');
  const destroy = (sockets: Iterable<Socket>) => {
    for (const socket of sockets) socket.destroy();
  };
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  front.once('close', resolve);
  return {
    port: (front.address() as AddressInfo).port,
    close() {
      front.close();
      destroy(unknown);
      return closed;
    },
    end: () => destroy(open),
  };
}
