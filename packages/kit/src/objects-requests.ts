import { AsyncLocalStorage } from 'node:async_hooks';
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { bounded } from './bounds.ts';

const current = new AsyncLocalStorage<AbortSignal>();
// After these the client tries again, or gives up, without reading the answer, which would keep the connection taken for ever.
const LEFT_UNREAD = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

/** How the store's client sends its requests, so that one that takes too long really ends and frees its connection. */
export function objectsTransport(secure: boolean): Pick<typeof http, 'request'> {
  const request = (options: RequestOptions, onAnswer: (answer: IncomingMessage) => void): ClientRequest => {
    const signal = current.getStore();
    return (secure ? https : http).request({ ...options, ...(signal ? { signal } : {}) }, answer => {
      if (LEFT_UNREAD.has(answer.statusCode ?? 0)) answer.resume();
      onAnswer(answer);
    });
  };
  // The client uses this one of its forms.
  return { request: request as typeof http.request };
}

/** What `work` gives, or an error after `ms` that names it in `what`, or the signal's reason; then its requests are broken off. */
export async function asked<T>(work: () => Promise<T>, ms: number, what: string, signal?: AbortSignal): Promise<T> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  try {
    return await bounded(current.run(stop.signal, work), ms, what, signal);
  } catch (error) {
    stop.abort(error);
    throw error;
  }
}
