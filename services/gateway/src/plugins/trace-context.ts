import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { inRequest } from '@recording-request/kit/telemetry/http-requests';
import { cameThroughProxies } from '../domain/trusted-proxies.ts';

export interface TrustedTrace {
  /** How many proxies in front are the operator's own. */
  trustedProxies: number;
  /** Whether the last of these makes a traceparent that is to go on. */
  trustTraceparent: boolean;
}

// What any propagator reads that OTEL_PROPAGATORS may name.
const B3 = ['b3', 'x-b3-traceid', 'x-b3-spanid', 'x-b3-parentspanid', 'x-b3-sampled', 'x-b3-flags'];
const TRACE_HEADERS = ['traceparent', 'tracestate', 'baggage', ...B3];
// Version 00 of https://www.w3.org/TR/trace-context: an id of zeros is none. Two headers come as one with a comma.
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
// As much as the recommendation has vendors pass on.
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/**
 * Has each request of `server` traced and measured. The trace context that a client sends is dropped: it would put our spans into a trace
 * that is not ours. One of a trusted proxy goes on where the operator asked for it, its baggage never.
 */
export function traceRequests(server: Server, trusted: TrustedTrace): void {
  const emit = server.emit;
  server.emit = function (this: Server, event: string | symbol, ...values: unknown[]) {
    if (event !== 'request') return emit.call(this, event, ...values);
    const [request, response] = values as [IncomingMessage, ServerResponse];
    const kept = ofProxy(request.headers, trusted);
    dropIn(request.headers);
    Object.assign(request.headers, kept);
    inRequest(request, response, () => emit.call(this, event, ...values));
    return true;
  } as typeof server.emit;
}

function dropIn(headers: IncomingHttpHeaders): void {
  for (const name of TRACE_HEADERS) delete headers[name];
}

function ofProxy(
  headers: IncomingHttpHeaders,
  { trustedProxies, trustTraceparent }: TrustedTrace,
): IncomingHttpHeaders {
  if (!trustTraceparent || !cameThroughProxies(headers['x-forwarded-for'], trustedProxies)) return {};
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return {};
  const hasState = typeof tracestate === 'string' && TRACESTATE.test(tracestate);
  return { traceparent, ...(hasState && { tracestate }) };
}
