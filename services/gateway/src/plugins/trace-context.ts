import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import { inRequest } from '@recording-request/kit-telemetry/http-requests';
import { cameThroughProxies, type TrustedProxies } from '../adapters/trusted-proxies.ts';

export interface TrustedTrace {
  trustedProxies: TrustedProxies;
  /** True if the gateway must keep the traceparent that the last of these proxies sets. */
  trustTraceparent: boolean;
}

// The headers of every propagator that OTEL_PROPAGATORS may name.
const B3 = ['b3', 'x-b3-traceid', 'x-b3-spanid', 'x-b3-parentspanid', 'x-b3-sampled', 'x-b3-flags'];
const TRACE_HEADERS = ['traceparent', 'tracestate', 'baggage', ...B3];
// https://www.w3.org/TR/trace-context, version 00: ids of zeros are invalid. Node joins two headers with a comma, so
// they do not match.
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
// The recommendation requires vendors to pass on a tracestate up to this length.
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/**
 * Returns a listener that traces and measures each request of `handle`. Drops a client's trace context, because it
 * would put our spans into a trace of another system. Keeps the trace context of a trusted proxy if the operator
 * enabled this, but never the proxy's baggage.
 */
export const traced =
  (handle: RequestListener, trusted: TrustedTrace): RequestListener =>
  (request, response) => {
    const kept = ofProxy(request, trusted);
    dropIn(request.headers);
    Object.assign(request.headers, kept);
    inRequest(request, response, () => handle(request, response));
  };

function dropIn(headers: IncomingHttpHeaders): void {
  for (const name of TRACE_HEADERS) delete headers[name];
}

function ofProxy(
  { headers, socket }: IncomingMessage,
  { trustedProxies, trustTraceparent }: TrustedTrace,
): IncomingHttpHeaders {
  const peer = socket.remoteAddress ?? '';
  if (!trustTraceparent || !cameThroughProxies(trustedProxies, peer, headers['x-forwarded-for'])) return {};
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return {};
  const hasState = typeof tracestate === 'string' && TRACESTATE.test(tracestate);
  return { traceparent, ...(hasState && { tracestate }) };
}
