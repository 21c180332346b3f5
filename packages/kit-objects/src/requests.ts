import { AsyncLocalStorage } from 'node:async_hooks';
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { SecureContext } from 'node:tls';
import { bounded, OutOfTimeError } from '@recording-request/kit/bounds';
import { measureRequest, type PeerEnd } from '@recording-request/kit-telemetry/peers';
import { unwrapped } from './role.ts';

const current = new AsyncLocalStorage<AbortSignal>();
// After these statuses the client retries or fails without reading the response. An unread response would hold its
// connection forever.
const LEFT_UNREAD = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

// The error codes of a request on a connection that the store has closed.
const ENDED = new Set<unknown>(['ECONNRESET', 'EPIPE']);
// The store may have closed all idle connections at once.
const TRIES = 3;
const ON_RESTED = Symbol('recording-request.on-rested');

interface RequestError extends Error {
  code?: string;
  [ON_RESTED]?: boolean;
}

/**
 * Returns the transport of the store's client, with TLS if `tls` is set. A request that takes too long is aborted, and
 * its connection becomes free.
 */
export function objectsTransport(tls: (() => SecureContext) | undefined): Pick<typeof http, 'request'> {
  const request = (options: RequestOptions, onAnswer: (answer: IncomingMessage) => void): ClientRequest => {
    const signal = current.getStore();
    const more = { ...options, ...(tls && { secureContext: tls() }), ...(signal && { signal }) };
    const answered = measureRequest('store');
    const asking = (tls ? https : http).request(more, answer => {
      answered(answer.statusCode ?? 0);
      if (LEFT_UNREAD.has(answer.statusCode ?? 0)) answer.resume();
      onAnswer(answer);
    });
    asking.once('error', (error: RequestError) => {
      if (asking.reusedSocket && ENDED.has(error.code)) error[ON_RESTED] = true;
      answered(endOf(signal));
    });
    // The client may destroy a request without an error.
    asking.once('close', () => answered('cancelled'));
    return asking;
  };
  // The client calls only this overload of `request`.
  return { request: request as typeof http.request };
}

function endOf(signal: AbortSignal | undefined): PeerEnd {
  if (!signal?.aborted) return 'unreachable';
  return signal.reason instanceof OutOfTimeError ? 'timeout' : 'cancelled';
}

/**
 * Resolves to the result of `work`. After `ms`, or when the signal fires, aborts the requests of `work` and rejects:
 * with an error that names `what`, or with the signal's reason. Retries `work` if the store had just closed an idle
 * connection, so `work` must be repeatable and must not send a stream.
 */
export async function runRequest<T>(
  work: () => Promise<T>,
  ms: number,
  what: string,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  try {
    return await bounded(
      current.run(stop.signal, () => unlessEnded(work)),
      ms,
      what,
      signal,
    );
  } catch (error) {
    stop.abort(error);
    throw unwrapped(error);
  }
}

async function unlessEnded<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES || !(error as RequestError | undefined)?.[ON_RESTED]) throw error;
    }
}
