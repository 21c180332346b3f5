import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'undici';
import type { Tally } from './measure/tally.ts';

export interface Ask {
  method?: 'GET' | 'POST' | 'PATCH' | 'HEAD';
  headers?: Record<string, string>;
  /** Sent as application/json. */
  json?: unknown;
  body?: Buffer;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  ms: number;
}

/** Sends requests as browsers of many people do, over connections that are kept. */
export interface Http extends AsyncDisposable {
  /**
   * Resolves to the answer; to undefined where there was none. Counts it in the tally, as `what`. `from` is the address of the client,
   * as a proxy in front tells it.
   */
  ask(tally: Tally, what: string, from: string, path: string, ask?: Ask): Promise<Answer | undefined>;
}

const LIMIT_MS = 90_000;

export function openHttp(origin: string, signal: AbortSignal): Http {
  const agent = new Agent({ pipelining: 1, headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS });
  return {
    async ask(tally, what, from, path, { method = 'GET', headers, json, body } = {}) {
      const startedAt = performance.now();
      try {
        const answer = await request(new URL(path, origin), {
          dispatcher: agent,
          method,
          signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
          headers: {
            'x-forwarded-for': from,
            ...(json === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          body: json === undefined ? body : JSON.stringify(json),
        });
        const bytes = Buffer.from(await answer.body.arrayBuffer());
        const { statusCode: status } = answer;
        if (status < 400) tally.succeeded();
        else tally.refused(what, status, String(answer.headers['retry-after'] ?? ''));
        return { status, headers: answer.headers, body: bytes, ms: performance.now() - startedAt };
      } catch (error) {
        signal.throwIfAborted();
        const { code, name } = error as NodeJS.ErrnoException;
        tally.refused(what, `no answer (${code ?? name})`);
        return undefined;
      }
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}
