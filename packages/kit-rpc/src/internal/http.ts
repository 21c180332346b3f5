import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { connect, TLSSocket } from 'node:tls';
import type { Internal } from './internal.ts';
import { namesIn } from './names.ts';

const CONNECT_MS = 5_000;
// The maximum age of a connection. So an expired certificate stays trusted for at most this time.
const CONNECTION_AGE_MS = 5 * 60 * 1000;

/** Returns an HTTP server for other services that accepts the same certificates as `internal`. */
export function createInternalServer(internal: Internal, handle: RequestListener): Server {
  const { certificates } = internal;
  if (!certificates) return createHttpServer(handle);
  const server = createHttpsServer({ ...certificates.current, requestCert: true, rejectUnauthorized: true }, handle);
  certificates.onChange(material => server.setSecureContext(material));
  server.prependListener('request', (request, response) => {
    if (Date.now() - connectionOf(request).since > CONNECTION_AGE_MS) response.shouldKeepAlive = false;
  });
  return server as unknown as Server;
}

const known = new WeakMap<Socket, { names: readonly string[] | undefined; since: number }>();

function connectionOf({ socket }: IncomingMessage) {
  const before = known.get(socket);
  if (before) return before;
  const names =
    socket instanceof TLSSocket && socket.authorized ? namesIn(socket.getPeerCertificate()?.subjectaltname) : undefined;
  const connection = { names, since: Date.now() };
  known.set(socket, connection);
  return connection;
}

/** Returns whether one of `callers` sent the request; always true without certificates. */
export function isFrom(request: IncomingMessage, callers: readonly string[], { certificates }: Internal): boolean {
  if (!certificates) return true;
  return connectionOf(request).names?.some(name => callers.includes(name)) ?? false;
}

type Connected = (...result: [error: Error, socket: null] | [error: null, socket: TLSSocket]) => void;

/** Returns undici's connect options for the service `name`, with the newest certificate; undefined in plaintext. */
export function internalConnect(internal: Internal, name: string) {
  if (!internal.tlsPeer(name)) return undefined;
  return ({ hostname, port }: { hostname: string; port: string }, connected: Connected): void => {
    const peer = internal.tlsPeer(name)!;
    const socket = connect({ ...peer, host: hostname, port: Number(port || 443), ALPNProtocols: ['http/1.1'] });
    socket.setNoDelay().setKeepAlive(true, 60_000);
    const timer = setTimeout(() => socket.destroy(new Error(`${name} did not answer in time`)), CONNECT_MS);
    const failed = (error: Error) => {
      clearTimeout(timer);
      connected(error, null);
    };
    socket.once('error', failed);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      socket.off('error', failed);
      connected(null, socket);
    });
  };
}
