import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { durationOf, secondsSince } from './metrics.ts';
import { isMeasured, isTraced } from './signals.ts';

const tracer = trace.getTracer('recording-request');
const requestDuration = durationOf('http.server.request.duration');
// As the semantic conventions of HTTP know them.
const KNOWN = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE']);
const OTHER = '_OTHER';
const served = new WeakMap<IncomingMessage, { method: string; span: Span | undefined; route?: string }>();

/**
 * Runs `serve` in the span of a request, which continues the trace that its headers carry, and measures it to the end of its answer.
 * Health checks are left out. Where nobody reads traces or metrics it does nothing else.
 */
export function inRequest(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
  if (!(isTraced() || isMeasured()) || request.url === '/healthz') {
    serve();
    return;
  }
  const startedAt = performance.now();
  const method = KNOWN.has(request.method ?? '') ? request.method! : OTHER;
  const caller = isTraced() ? propagation.extract(ROOT_CONTEXT, request.headers) : ROOT_CONTEXT;
  const span = isTraced()
    ? tracer.startSpan(method, { kind: SpanKind.SERVER, attributes: attributesOf(request, method) }, caller)
    : undefined;
  const noted = { method, span };
  served.set(request, noted);
  response.once('close', () => end(request, response, noted, startedAt));
  if (!span) {
    serve();
    return;
  }
  const within = trace.setSpan(caller, span);
  // A connection emits what belongs to all its requests in the context of the first one.
  context.bind(within, request);
  context.bind(within, response);
  context.with(within, serve);
}

/** Has the span and the duration of a request known by its route, such as `/api/projects/:projectId`: a path has ids and tokens. `from`: who asked. */
export function nameRequest(request: IncomingMessage, route: string | undefined, from?: string): void {
  const noted = served.get(request);
  if (!noted) return;
  if (route) noted.route = route.replace(/:(\w+)/g, '{$1}');
  if (noted.span?.isRecording() && from) noted.span.setAttribute('client.address', from);
}

function end(
  request: IncomingMessage,
  response: ServerResponse,
  { method, span, route }: { method: string; span: Span | undefined; route?: string },
  startedAt: number,
): void {
  const { statusCode: status, headersSent } = response;
  // Without an answer its client went away, which is no fault of ours.
  const failed = headersSent && status >= 500;
  requestDuration(secondsSince(startedAt), {
    'http.request.method': method,
    'url.scheme': schemeOf(request),
    'network.protocol.version': request.httpVersion,
    ...(route && { 'http.route': route }),
    ...(headersSent && { 'http.response.status_code': String(status) }),
    ...(failed && { 'error.type': String(status) }),
  });
  if (!span) return;
  if (span.isRecording()) {
    if (route) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
    if (headersSent) span.setAttribute('http.response.status_code', status);
    if (failed) span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

const schemeOf = ({ socket }: IncomingMessage): string => (socket instanceof TLSSocket ? 'https' : 'http');

function attributesOf(request: IncomingMessage, method: string): Attributes {
  const { url = '', headers, socket } = request;
  const [path, query] = url.split('?', 2);
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(headers.host ?? '') ?? [];
  return {
    'http.request.method': method,
    ...(method === OTHER && { 'http.request.method_original': request.method ?? '' }),
    'url.scheme': schemeOf(request),
    'url.path': path,
    ...(query && { 'url.query': query }),
    'network.protocol.version': request.httpVersion,
    ...(host && { 'server.address': host }),
    ...(port && { 'server.port': Number(port) }),
    ...(socket.remoteAddress && {
      'network.peer.address': socket.remoteAddress,
      'network.peer.port': socket.remotePort ?? 0,
    }),
    ...(headers['user-agent'] && { 'user_agent.original': headers['user-agent'] }),
  };
}
