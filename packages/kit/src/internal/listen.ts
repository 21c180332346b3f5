import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { splitListen } from '../config.ts';
import type { Internal } from './internal.ts';
import { whenKnown } from './sniff.ts';

export interface Listening {
  port: number;
  /** Takes no more connections. */
  close(): void;
}

/** Binds a gRPC server to `listen` for the kinds of connections that `internal` takes. */
export async function bind(server: Server, listen: string, internal: Internal): Promise<Listening> {
  const { plaintext, tls } = internal.takes;
  if (plaintext && tls) return await bindBoth(server, listen, internal);
  return await new Promise((resolve, reject) =>
    server.bindAsync(listen, internal.tlsServer(), (error, port) =>
      error ? reject(error) : resolve({ port, close() {} }),
    ),
  );
}

async function bindBoth(server: Server, listen: string, internal: Internal): Promise<Listening> {
  const tls = server.createConnectionInjector(internal.tlsServer());
  const plain = server.createConnectionInjector(ServerCredentials.createInsecure());
  const front = createServer(socket => {
    socket.setNoDelay();
    whenKnown(socket, isTls => (isTls ? tls : plain).injectConnection(socket));
  });
  const { host, port } = splitListen(listen);
  front.listen(port, host);
  await once(front, 'listening');
  return { port: (front.address() as AddressInfo).port, close: () => void front.close() };
}
