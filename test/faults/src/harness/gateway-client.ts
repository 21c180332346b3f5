import { request as begin, type IncomingHttpHeaders } from 'node:http';
import type { Random } from '../random.ts';

export interface Ask {
  method?: string;
  /** Sent as application/json. */
  json?: unknown;
  body?: Buffer;
  headers?: Record<string, string>;
  /** Breaks the connection when so many bytes of the body were sent. */
  cutAfter?: number;
  limitMs?: number;
}

export interface Answer {
  /** "PATCH /r/…/uploads/… → 204", without tokens. */
  what: string;
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: looked at as it came.
  json(): any;
}

/** Something that a client of a service which never fails would not have seen: an answer from 500 on, or no answer. */
export interface Incident {
  at: Date;
  what: string;
}

/** The gateways, as a client sees them that knows all their addresses: one that refuses the connection is passed over. */
export interface Doors {
  ask(path: string, ask?: Ask): Promise<Answer>;
  readonly incidents: Incident[];
}

const LIMIT_MS = 60_000;

export function openDoors(origins: () => string[], random: Random): Doors {
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
          if (answer.status >= 500)
            incidents.push({ at: new Date(), what: `${answer.what}: ${answer.bytes.toString().slice(0, 200)}` });
          return answer;
        } catch (error) {
          if (isRefused(error as NodeJS.ErrnoException) && tried < open.length - 1) continue;
          if (ask.cutAfter === undefined)
            incidents.push({ at: new Date(), what: `${what}: ${(error as Error).message}` });
          throw error;
        }
      }
    },
  };
}

// Also reset before it stood: in neither case has anything of the request been sent.
const isRefused = ({ code, syscall }: NodeJS.ErrnoException) =>
  syscall === 'connect' && /REFUSED|RESET/.test(code ?? '');

const redact = (path: string) => path.replace(/\b(vr|prj)_\w+/g, '$1_…');

/** One request on a connection of its own. Rejects when no whole answer comes. */
function send(url: URL, ask: Ask, what: string): Promise<Answer> {
  const { method = 'GET', json, headers = {}, cutAfter, limitMs = LIMIT_MS } = ask;
  const body = json === undefined ? ask.body : Buffer.from(JSON.stringify(json));
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = begin(url, {
    method,
    agent: false,
    signal: AbortSignal.timeout(limitMs),
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body ? { 'content-length': String(body.length) } : {}),
      ...headers,
    },
  });
  request.on('error', reject);
  request.on('response', response => {
    const chunks: Buffer[] = [];
    response.on('data', chunk => chunks.push(chunk));
    response.on('error', reject);
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
      if (!response.complete) reject(new Error('the answer broke off'));
    });
  });
  if (cutAfter !== undefined && body) {
    // What was sent must have left before the connection ends, else the cut would be at another byte.
    request.write(body.subarray(0, cutAfter), () =>
      setImmediate(() => request.destroy(new Error('cut by the client'))),
    );
  } else {
    request.end(body);
  }
  return promise;
}
