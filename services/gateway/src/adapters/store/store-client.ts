import type { SecureContext } from 'node:tls';
import { StoreConnection, type StoreResponse } from './store-connection.ts';

const MOST_IDLE = 32;

/** Sends GETs to the object store over connections that it reuses. New TLS connections use the current `tls()`. */
export class StoreClient {
  readonly #idle = new Map<string, Set<StoreConnection>>();
  readonly #tls: () => SecureContext;

  constructor(tls: () => SecureContext) {
    this.#tls = tls;
  }

  /**
   * Returns the response when its head has arrived. Retries a request on a connection that the store had closed while it was
   * idle: a GET changes nothing.
   */
  async get(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<StoreResponse> {
    const lines = Object.entries({ host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`;
    const idle = this.#idleAt(url.origin);
    for (;;) {
      signal.throwIfAborted();
      const [kept] = idle;
      if (kept) idle.delete(kept);
      const connection = kept ?? this.#connect(url, idle);
      try {
        return await connection.get(request, signal);
      } catch (error) {
        connection.destroy(error as Error);
        if (!kept || signal.aborted) throw error;
      }
    }
  }

  #idleAt(origin: string): Set<StoreConnection> {
    const idle = this.#idle.get(origin) ?? new Set();
    this.#idle.set(origin, idle);
    return idle;
  }

  #connect(url: URL, idle: Set<StoreConnection>): StoreConnection {
    return new StoreConnection(url, url.protocol === 'https:' ? this.#tls() : undefined, {
      idle: connection => {
        if (idle.size < MOST_IDLE) idle.add(connection);
        else connection.destroy(new Error('enough connections are idle'));
      },
      end: connection => void idle.delete(connection),
    });
  }
}
