import { StoreConnection } from './connection.ts';
import type { ResponseHead } from './response-head.ts';

const RESTING = 32;
// Less than stores wait for the next request.
const REST_MS = 10_000;

const resting = new Map<string, StoreConnection[]>();

/** An answer whose body is read by `next`. */
export interface StoreAnswer {
  head: ResponseHead;
  connection: StoreConnection;
}

/**
 * Sends GET to the store and returns its answer once its head is there. A connection that had rested and turns out to be
 * ended is replaced: what was asked for changes nothing and can be asked for again.
 */
export async function getFromStore(
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<StoreAnswer> {
  const lines = Object.entries({ host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`;
  for (;;) {
    const rested = resting.get(url.origin)?.pop();
    const connection = rested ?? open(url);
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

function open(url: URL): StoreConnection {
  const { origin } = url;
  const connection: StoreConnection = new StoreConnection(url, usable => {
    const list = resting.get(origin) ?? [];
    resting.set(origin, list);
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
