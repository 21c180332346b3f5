import { type Agent, request as begin, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';

export interface Ask {
  method?: string;
  /** The body, sent as application/json. */
  json?: unknown;
  body?: Buffer;
  headers?: Record<string, string>;
  /** Cuts the connection after this many bytes of the body. */
  cutAfter?: number;
  /** The maximum speed of the request body and of the response body. */
  bytesPerSecond?: number;
  limitMs?: number;
  /** The only status that is not an incident; by default, every status below 500. */
  wanted?: number;
  /** The agent with the connections; by default, a request has its own connection. */
  agent?: Agent;
}

export interface Answer {
  /** For example "PATCH /r/…/uploads/… → 204", without tokens. */
  what: string;
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: callers read any JSON.
  json(): any;
}

/** A failed request: a status of 500 or more, a status other than the wanted one, or no answer. */
export interface Incident {
  at: Date;
  what: string;
  /** The request's id in the gateway's log, even for a cut answer. */
  requestId?: string | undefined;
}

/** An HTTP client that knows the addresses of all gateways and skips one that refuses the connection. */
export interface GatewayClient {
  ask(path: string, ask?: Ask): Promise<Answer>;
  readonly incidents: Incident[];
}

const LIMIT_MS = 60_000;
/** The interval between the pieces of a slow body. */
const SLICE_MS = 100;

export function createGatewayClient(origins: () => string[], random: Random): GatewayClient {
  const incidents: Incident[] = [];
  return {
    incidents,
    async ask(path, ask = {}) {
      const open = origins();
      const from = random.integer(0, open.length - 1);
      const what = `${ask.method ?? 'GET'} ${redact(path)}`;
      for (let tried = 0; ; tried++) {
        try {
          const answer = await send(new URL(path, open[(from + tried) % open.length]), ask, what);
          if (answer.status >= 500 || (ask.wanted !== undefined && answer.status !== ask.wanted))
            incidents.push({
              ...{ at: new Date(), what: `${answer.what}: ${answer.bytes.toString().slice(0, 200)}` },
              requestId: answer.headers['request-id']?.toString(),
            });
          return answer;
        } catch (error) {
          if (isRefused(error as NodeJS.ErrnoException) && tried < open.length - 1) continue;
          const { message, requestId } = error as CutAnswer;
          if (ask.cutAfter === undefined) incidents.push({ at: new Date(), what: `${what}: ${message}`, requestId });
          throw error;
        }
      }
    },
  };
}

// The connection was refused, or reset during the connect. In both cases, the server got no byte of the request.
const isRefused = ({ code, syscall }: NodeJS.ErrnoException) =>
  syscall === 'connect' && /REFUSED|RESET/.test(code ?? '');

const redact = (path: string) => path.replace(/\b(vr|prj)_\w+/g, '$1_…');

/** The error of a cut answer, with its request id. */
type CutAnswer = Error & { requestId?: string | undefined };

/** Sends one request. Rejects without a complete answer. */
export function send(url: URL, ask: Ask, what: string): Promise<Answer> {
  const { method = 'GET', json, headers = {}, cutAfter, bytesPerSecond, agent = false } = ask;
  const body = json === undefined ? ask.body : Buffer.from(JSON.stringify(json));
  const sentMs = bytesPerSecond && body ? Math.ceil((1_000 * body.length) / bytesPerSecond) : 0;
  const limitMs = ask.limitMs ?? LIMIT_MS + sentMs;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let requestId: string | undefined;
  const fail = (error: Error) => reject(Object.assign(error, { requestId }) satisfies CutAnswer);
  const request = begin(url, {
    method,
    agent,
    signal: AbortSignal.timeout(limitMs),
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body ? { 'content-length': String(body.length) } : {}),
      ...headers,
    },
  });
  request.on('error', fail);
  request.on('response', response => {
    requestId = response.headers['request-id']?.toString();
    const chunks: Buffer[] = [];
    response.on('data', chunk => {
      chunks.push(chunk);
      if (!bytesPerSecond) return;
      response.pause();
      setTimeout(() => response.resume(), (1_000 * chunk.length) / bytesPerSecond);
    });
    response.on('error', fail);
    response.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const status = response.statusCode!;
      resolve({
        what: `${what} → ${status}`,
        status,
        headers: response.headers,
        bytes,
        json: () => JSON.parse(bytes.toString('utf8')),
      });
    });
    response.on('close', () => {
      if (!response.complete) fail(new Error('the answer was cut off'));
    });
  });
  if (cutAfter !== undefined && body) {
    // Ends the connection only when the bytes are flushed. Otherwise, the cut would be at another byte.
    request.write(body.subarray(0, cutAfter), () =>
      setImmediate(() => request.destroy(new Error('cut by the client'))),
    );
  } else if (body && bytesPerSecond) {
    sendPaced(request, body, bytesPerSecond).catch(fail);
  } else {
    request.end(body);
  }
  return promise;
}

async function sendPaced(request: ClientRequest, body: Buffer, bytesPerSecond: number): Promise<void> {
  const size = Math.ceil((bytesPerSecond * SLICE_MS) / 1_000);
  for (let at = 0; at < body.length && !request.destroyed; at += size) {
    request.write(body.subarray(at, at + size));
    await delay(SLICE_MS);
  }
  request.end();
}
