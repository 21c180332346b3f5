import type { SecureContext } from 'node:tls';
import { StoreConnection } from './connection.ts';
import type { ResponseHead } from './response-head.ts';

const RESTING = 32;
// Less than stores wait for the next request.
const REST_MS = 10_000;

/** An answer whose body is read by `next`. */
export interface StoreAnswer {
  head: ResponseHead;
  connection: StoreConnection;
}

/** Connections to the store, kept for the next request. New ones over TLS have what `tls` returns. */
export class StoreConnections {
  readonly #resting = new Map<string, StoreConnection[]>();
  readonly #tls: () => SecureContext;

  constructor(tls: () => SecureContext) {
    this.#tls = tls;
  }

  /**
   * Sends GET to the store and returns its answer once its head is there. A connection that had rested and turns out to be
   * ended is replaced: what was asked for changes nothing and can be asked for again.
   */
  async get(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<StoreAnswer> {
    const lines = Object.entries({ host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const text = `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`;
    for (;;) {
      const rested = this.#resting.get(url.origin)?.pop();
      const connection = rested ?? this.#open(url);
      connection.setRef(true);
      const abort = () => connection.destroy(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      try {
        signal.throwIfAborted();
        return { head: await connection.get(text), connection };
      } catch (error) {
        connection.destroy();
        if (!rested || signal.aborted) throw error;
      } finally {
        signal.removeEventListener('abort', abort);
      }
    }
  }

  #open(url: URL): StoreConnection {
    const { origin, protocol } = url;
    const tls = protocol === 'https:' ? this.#tls() : undefined;
    const connection: StoreConnection = new StoreConnection(url, tls, usable => {
      const list = this.#resting.get(origin) ?? [];
      this.#resting.set(origin, list);
      const at = list.indexOf(connection);
      if (!usable) {
        if (at >= 0) list.splice(at, 1);
      } else if (list.length >= RESTING) {
        connection.destroy();
      } else {
        connection.restAtMost(REST_MS);
        connection.setRef(false);
        list.push(connection);
      }
    });
    return connection;
  }
}
