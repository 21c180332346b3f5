import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { connect } from 'node:tls';
import { createInternalServer } from '@recording-request/kit-rpc/internal/http';
import { openCaller } from '@recording-request/kit-rpc/internal/internal';
import type { Caller } from '@recording-request/proto/callers';
import { testCertificates } from './test-certificates.ts';

const internalOf = async (name: Caller) => await openCaller((await testCertificates()).env(name), name);

export interface InternalHttp extends AsyncDisposable {
  url: string;
}

/** Serves HTTP with the certificate of a service, on a free port. */
export async function serveInternally(name: Caller, handle: RequestListener): Promise<InternalHttp> {
  const internal = await internalOf(name);
  const server = createInternalServer(internal, handle);
  const port = await listening(server);
  return {
    url: `https://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      internal[Symbol.dispose]();
    },
  };
}

/** Starts a plain HTTP proxy to `address` over TLS with the certificate of `caller`, for clients without a certificate. */
export async function startPlainProxy(address: string, caller: Caller, service: Caller): Promise<InternalHttp> {
  const internal = await internalOf(caller);
  const [host, port] = address.split(':');
  const open = new Set<{ destroy(): void }>();
  const server = createServer(socket => {
    const onward = connect({ host, port: Number(port), ...internal.tlsPeer(service)! });
    for (const [end, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(end);
      end.setNoDelay();
      end.on('error', () => other.destroy());
      end.on('close', () => {
        open.delete(end);
        other.destroySoon();
      });
      end.pipe(other);
    }
  });
  const plain = await listening(server);
  return {
    url: `http://127.0.0.1:${plain}`,
    async [Symbol.asyncDispose]() {
      for (const each of open) each.destroy();
      server.close();
      internal[Symbol.dispose]();
    },
  };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
