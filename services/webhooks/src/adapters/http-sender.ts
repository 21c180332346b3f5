import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { context } from '@opentelemetry/api';
import { measureRequest } from '@recording-request/kit-telemetry/peers';
import { runningTrace, startSpan } from '@recording-request/kit-telemetry/span';
import { type AddressRules, addressFault, NOT_PUBLIC } from '../domain/address.ts';
import type { Sent } from '../domain/outcome.ts';
import { AddressRefusedError, type GuardedAgents, guardedAgents } from './guarded-agents.ts';

export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

export interface Sender {
  /**
   * POSTs once. Returns a failure at the endpoint as a result, and rejects only with the signal's reason. The time
   * limit covers lookup, connection, headers and body together.
   */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<Sent>;
  close(): Promise<void>;
}

export interface SenderOptions extends AddressRules {
  timeoutMs: number;
  /** The maximum number of bytes read from an answer; the rest stays unread. */
  answerBytes: number;
  /** The name servers to query instead of the system's. */
  dnsServers: string[] | undefined;
}

// A receiver may send 100, 102 or 103 before its response. After more of them than this, the client stops reading.
const INFORMATION_MAX = 20;

/**
 * Sends over HTTP/1.1 and follows no redirects. Uses Node's own client, because it accepts unrequested informational
 * responses, as RFC 9110 (15.2) requires; undici fails at a 100.
 */
export function createSender(options: SenderOptions): Sender {
  const { timeoutMs, answerBytes, allowPrivate, dnsServers } = options;
  const agents = guardedAgents({ allowPrivate, dnsServers });
  return {
    async send(request, signal) {
      const fault = addressFault(request.url, options);
      if (fault) return { status: 0, reason: fault };
      const limit = AbortSignal.timeout(timeoutMs);
      try {
        return await inRequestSpan(request, headers =>
          post(agents, { ...request, headers }, { signal, limit }, answerBytes),
        );
      } catch (error) {
        signal.throwIfAborted();
        if (limit.aborted) return { status: 0, reason: `no whole answer within ${timeoutMs / 1000} s` };
        return { status: 0, reason: reasonOf(error) };
      }
    },
    async close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/**
 * Runs a request in a span and adds the trace headers to it. The span contains neither the full address nor text from
 * the endpoint.
 */
async function inRequestSpan(
  { url, headers }: OutgoingRequest,
  run: (headers: Record<string, string>) => Promise<Sent>,
): Promise<Sent> {
  const { origin, hostname, port, protocol } = new URL(url);
  const attributes = {
    'http.request.method': 'POST',
    'url.full': origin,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  const span = startSpan('ask endpoint', { attributes });
  return await context.with(span.context, async () => {
    const trace = Object.entries(runningTrace()).filter(([, value]) => value !== '');
    try {
      const sent = await run({ ...headers, ...Object.fromEntries(trace) });
      const { status } = sent;
      span.set({ 'http.response.status_code': status });
      span.end(status >= 400 ? { code: String(status), message: `HTTP ${status}` } : undefined);
      return sent;
    } catch (error) {
      span.end({ code: codeOf(error) || 'Error', message: reasonOf(error) });
      throw error;
    }
  });
}

async function post(
  agents: GuardedAgents,
  { url, headers, body }: OutgoingRequest,
  { signal, limit }: Record<'signal' | 'limit', AbortSignal>,
  answerBytes: number,
): Promise<Sent> {
  const target = new URL(url);
  const answered = measureRequest('endpoint');
  const how = { method: 'POST', headers, signal: AbortSignal.any([signal, limit]) };
  const send = async () => {
    const request =
      target.protocol === 'https:'
        ? requestHttps(target, { ...how, agent: agents.https })
        : requestHttp(target, { ...how, agent: agents.http });
    request.end(body);
    return await waitForAnswer(request);
  };
  const answer = await send().catch(error => {
    answered(limit.aborted ? 'timeout' : signal.aborted ? 'cancelled' : 'unreachable');
    throw error;
  });
  const status = answer.statusCode ?? 0;
  answered(status);
  await readUpTo(answer, answerBytes, status);
  const retryAfter = answer.headers['retry-after'];
  return { status, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** Resolves when the headers have arrived. */
async function waitForAnswer(request: ClientRequest): Promise<IncomingMessage> {
  let informed = 0;
  const inform = () => {
    if (++informed > INFORMATION_MAX) request.destroy(new EndlessInformationError());
  };
  return await new Promise((resolve, reject) => {
    request.on('continue', inform).on('information', inform);
    request.on('response', resolve).on('error', reject);
    // An unrequested protocol upgrade closes a request without an error event.
    request.on('close', () => reject(new ClosedError()));
  });
}

class EndlessInformationError extends Error {}
class ClosedError extends Error {
  readonly code = 'ECONNRESET';
}

// Waits for the body, up to the limit, only after a success status. For a failure, the status is enough.
async function readUpTo(answer: IncomingMessage, limit: number, status: number): Promise<void> {
  answer.on('error', () => {});
  if (status < 200 || status > 299) return void answer.destroy();
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes >= limit) return;
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
  EPROTO: 'no secure connection could be made',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too large',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
};

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

// Returns only fixed phrases, because an error's text can quote the address or the endpoint's answer.
function reasonOf(error: unknown): string {
  if (error instanceof AddressRefusedError) return NOT_PUBLIC;
  if (error instanceof EndlessInformationError) return 'no answer came after its first informational responses';
  const code = codeOf(error);
  // After an orderly close, the error contains no system call; after a reset, it does.
  if (code === 'ECONNRESET' && !(error as NodeJS.ErrnoException).syscall)
    return 'the connection was closed before the answer';
  if (REASONS[code]) return REASONS[code];
  if (/CERT|SIGNATURE|ISSUER/.test(code)) return 'the certificate is not trusted';
  if (/SSL|TLS/.test(code)) return 'no secure connection could be made';
  if (/^HPE_/.test(code)) return 'the answer is not HTTP';
  return 'the request failed';
}
