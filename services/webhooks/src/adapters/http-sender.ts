import { askPeer } from '@recording-request/kit/telemetry/peers';
import { Agent, type Dispatcher } from 'undici';
import { type AddressRules, addressFault, NOT_PUBLIC } from '../domain/address.ts';
import type { Sent } from '../domain/outcome.ts';
import { AddressRefusedError, guardedConnector } from './guarded-connect.ts';

export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

export interface Sender {
  /**
   * POSTs once. Rejects only with the signal's reason: a failure at the endpoint is a result.
   * The time limit covers look-up, connection, headers and body together.
   */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<Sent>;
  close(): Promise<void>;
}

export interface SenderOptions extends AddressRules {
  timeoutMs: number;
  /** How many bytes of an answer are read; the rest is left unread. */
  answerBytes: number;
  /** Name servers to ask instead of the system's. */
  dnsServers: string[] | undefined;
}

/** Sends over HTTP/1.1 with undici. Redirects are not followed. */
export function createSender(options: SenderOptions): Sender {
  const { timeoutMs, answerBytes, allowPrivate, dnsServers } = options;
  const agent = new Agent({
    connect: guardedConnector({ allowPrivate, timeoutMs, dnsServers }),
    allowH2: false,
    // The one limit below covers these; each alone would count from its own beginning.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async send(request, signal) {
      const fault = addressFault(request.url, options);
      if (fault) return { status: 0, reason: fault };
      const limit = AbortSignal.timeout(timeoutMs);
      try {
        return await post(agent, request, { signal, limit }, answerBytes);
      } catch (error) {
        signal.throwIfAborted();
        if (limit.aborted) return { status: 0, reason: `no whole answer within ${timeoutMs / 1000} s` };
        return { status: 0, reason: reasonOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}

async function post(
  agent: Agent,
  request: OutgoingRequest,
  { signal, limit }: Record<'signal' | 'limit', AbortSignal>,
  answerBytes: number,
): Promise<Sent> {
  const { origin, pathname, search } = new URL(request.url);
  const answered = askPeer('endpoint');
  const asking = agent.request({
    origin,
    path: pathname + search,
    method: 'POST',
    headers: request.headers,
    body: request.body,
    signal: AbortSignal.any([signal, limit]),
  });
  const answer = await asking.catch(error => {
    answered(limit.aborted ? 'timeout' : signal.aborted ? 'cancelled' : 'unreachable');
    throw error;
  });
  answered(answer.statusCode);
  await readUpTo(answer.body, answerBytes, answer.statusCode);
  const retryAfter = answer.headers['retry-after'];
  return {
    status: answer.statusCode,
    ...(retryAfter === undefined ? {} : { retryAfter: [retryAfter].flat()[0]! }),
  };
}

// A success counts once its body has arrived, up to the limit; for a failure the status is enough.
async function readUpTo(body: Dispatcher.ResponseData['body'], limit: number, status: number): Promise<void> {
  let bytes = 0;
  body.on('error', () => {});
  try {
    if (status < 200 || status > 299) return;
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length;
      if (bytes >= limit) return;
    }
  } finally {
    body.destroy();
  }
}

const REASONS: Record<string, string> = {
  ENOTFOUND: 'the name does not resolve',
  ENODATA: 'the name does not resolve',
  ESERVFAIL: 'the name server failed',
  ETIMEOUT: 'the name server does not answer',
  EAI_AGAIN: 'the name server does not answer',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed before the answer',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
};

// Only phrases of our own: an error's text can quote the address or the endpoint's answer.
function reasonOf(error: unknown): string {
  if (error instanceof AddressRefusedError) return NOT_PUBLIC;
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (REASONS[code]) return REASONS[code];
  if (/CERT|SIGNATURE|ISSUER/.test(code)) return 'the certificate is not trusted';
  if (/SSL|TLS/.test(code)) return 'no secure connection could be made';
  if (/^HPE_/.test(code)) return 'the answer is not HTTP';
  return 'the request failed';
}
