import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';

/**
 * A proxy that passes bodies on in small pieces, so that a test can act in the middle of a body. When the connection on
 * one side breaks, the proxy breaks the connection on the other side.
 */
export interface KillingProxy extends AsyncDisposable {
  /** The URL, without a trailing slash. */
  url: string;
  /**
   * Calls `act` once, after `bytes` further bytes of answers whose path matches `path`; with 0, after the headers of the
   * next such answer. Replaces an earlier `act`. Returns a function that cancels it.
   */
  after(bytes: number, path: RegExp, act: () => void): () => void;
  /**
   * Calls `act` once, after `bytes` further bytes of requests whose path matches `path`. Then breaks the connection, so
   * that all later bytes from the client are lost. Replaces an earlier `act`. Returns a function that cancels it.
   */
  afterSent(bytes: number, path: RegExp, act: () => void): () => void;
  /** Returns the number of body bytes sent so far in answers whose path matches `path`. */
  answered(path: RegExp): number;
  /** The maximum size of a piece, in bytes. */
  pieceBytes: number;
  /** Gets each request first. Returns true for a request that it answers itself; the service does not get this request. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface KillingProxyOptions {
  /** Serves HTTPS with this certificate. */
  certificate?: { key: string; cert: string };
}

export async function startKillingProxy(
  target: string,
  { certificate }: KillingProxyOptions = {},
): Promise<KillingProxy> {
  const answers = new Traps();
  const requests = new Traps();
  const counts = new Map<string, number>();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (proxy.intercept(request, response)) return;
    const { method, headers } = request;
    const url = request.url!;
    const forwarded = send(new URL(url, target), { method, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers).flushHeaders();
      answers.count(url, 0);
      const count = (bytes: number) => {
        counts.set(url, (counts.get(url) ?? 0) + bytes);
        answers.count(url, bytes);
      };
      pass(answer, response, proxy, count).catch(() => response.destroy());
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    pass(request, forwarded, proxy, bytes => {
      if (!requests.count(url, bytes)) return;
      request.destroy();
      throw new Error('The test broke the connection.');
    }).catch(() => forwarded.destroy());
  };
  const server = certificate ? createSecureServer(certificate, listener) : createServer(listener);
  server.on('tlsClientError', () => {});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const proxy: KillingProxy = {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pieceBytes: 8_192,
    after: (...trap) => answers.set(...trap),
    afterSent: (...trap) => requests.set(...trap),
    answered: path => [...counts].reduce((sum, [url, bytes]) => sum + (path.test(url) ? bytes : 0), 0),
    intercept: () => false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return proxy;
}

/** Holds at most one trap, which acts after a number of bytes of one direction. */
class Traps {
  #trap: { left: number; path: RegExp; act: () => void } | undefined;

  set(left: number, path: RegExp, act: () => void): () => void {
    const trap = { left, path, act };
    this.#trap = trap;
    return () => {
      if (this.#trap === trap) this.#trap = undefined;
    };
  }

  /** Counts the bytes of a path. Returns whether the trap acts now. */
  count(url: string, bytes: number): boolean {
    const trap = this.#trap;
    if (!trap?.path.test(url)) return false;
    trap.left -= bytes;
    if (trap.left > 0) return false;
    this.#trap = undefined;
    trap.act();
    return true;
  }
}

/** Passes a body on in pieces. Calls `onPiece` with the size of each piece once it is written, and rejects with its error. */
async function pass(
  from: AsyncIterable<Buffer>,
  to: Writable,
  sizes: { pieceBytes: number },
  onPiece: (bytes: number) => void,
): Promise<void> {
  for await (const chunk of from)
    for (let at = 0; at < chunk.length; at += sizes.pieceBytes) {
      const piece = chunk.subarray(at, at + sizes.pieceBytes);
      if (to.destroyed) return;
      await new Promise<void>(resolve => to.write(piece, () => resolve()));
      onPiece(piece.length);
    }
  to.end();
}
