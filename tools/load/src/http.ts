import { Agent } from 'node:http';
import { type Answer, type Ask, send } from '@recording-request/fault-test/harness/gateway-client';
import type { Tally } from './measure/tally.ts';

/** Sends requests over persistent connections, as the browsers of many users do. */
export interface Http extends Disposable {
  /**
   * Sends a request. Resolves to the HTTP response, or to undefined if there is none. The tally counts the request
   * under the name `what`. `from` is the client's address, as a proxy would report it.
   */
  ask(tally: Tally, what: string, from: string, path: string, ask?: Ask): Promise<Answer | undefined>;
}

const LIMIT_MS = 90_000;

export function openHttp(origin: string, signal: AbortSignal): Http {
  const agent = new Agent({ keepAlive: true });
  // The abort also ends the running requests.
  signal.addEventListener('abort', () => agent.destroy(), { once: true });
  return {
    async ask(tally, what, from, path, ask = {}) {
      const headers = { 'x-forwarded-for': from, ...ask.headers };
      try {
        signal.throwIfAborted();
        const answer = await send(new URL(path, origin), { ...ask, headers, agent, limitMs: LIMIT_MS }, what);
        if (answer.status < 400) tally.succeeded();
        else tally.refused(what, answer.status, String(answer.headers['retry-after'] ?? ''));
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        const { code, name } = error as NodeJS.ErrnoException;
        tally.refused(what, `no answer (${code ?? name})`);
        return undefined;
      }
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}
