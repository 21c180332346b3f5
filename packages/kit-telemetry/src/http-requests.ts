import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { type Attributes, context, propagation, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { endSpan, tracer } from './end-span.ts';
import { durationOf, secondsSince } from './metrics.ts';
import { isMeasured, isTraced } from './signals.ts';
import { subjectAttributes } from './subject.ts';

const requestDuration = durationOf('http.server.request.duration');
// The methods in the semantic conventions of HTTP.
const KNOWN = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE']);
const OTHER = '_OTHER';
const HEALTH = /^\/healthz(?:[/?]|$)/;
// The maximum length of a client's text in a span.
const TEXT_MAX = 500;

interface Served {
  method: string;
  startedAt: number;
  span?: Span;
  route?: string;
  from?: string;
}

const running = new WeakMap<IncomingMessage, Served>();

/**
 * Runs `serve` in a span for the request, which continues the trace in the request's headers. Measures the request
 * until its response ends. Ignores health checks. When traces and metrics are off, only runs `serve`.
 */
export function inRequest(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
  if (!(isTraced() || isMeasured()) || HEALTH.test(request.url ?? '')) {
    serve();
    return;
  }
  const method = KNOWN.has(request.method ?? '') ? request.method! : OTHER;
  const served: Served = { method, startedAt: performance.now() };
  running.set(request, served);
  response.once('close', () => end(request, response, served));
  if (!isTraced()) {
    serve();
    return;
  }
  const parent = propagation.extract(ROOT_CONTEXT, request.headers);
  const attributes = attributesOf(request, method);
  served.span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
  const within = trace.setSpan(parent, served.span);
  // A connection emits the bytes of its requests in its own context, so bind each request to the context of its span.
  if (request.headers['transfer-encoding'] ?? request.headers['content-length']) context.bind(within, request);
  context.with(within, serve);
}

/** Calls `run`, in the current context, when a response ends or breaks off. */
export function whenClosed(response: ServerResponse, run: () => void): void {
  const now = context.active();
  response.once('close', () => context.with(now, run));
}

/**
 * Names the span and the duration of a request by its route, such as `/api/projects/:projectId`, because a path
 * contains ids and tokens. `from` is the client's address.
 */
export function nameRequest(request: IncomingMessage, route: string | undefined, from?: string): void {
  const served = running.get(request);
  if (!served) return;
  if (route) served.route = route.replace(/:(\w+)/g, '{$1}');
  if (from) served.from = from;
}

/** Adds the ids in `about` to the span of a request. Spans that start within this span later get the ids too. */
export function noteRequest(request: IncomingMessage, about: object): void {
  running.get(request)?.span?.setAttributes(subjectAttributes(about));
}

function end(request: IncomingMessage, response: ServerResponse, served: Served): void {
  const { method, startedAt, span, route, from } = served;
  // A request without a response means that the client disconnected, which is not our failure.
  const status = response.headersSent ? response.statusCode : undefined;
  const failed = status !== undefined && status >= 500;
  const both = { ...(route && { 'http.route': route }), ...(failed && { 'error.type': String(status) }) };
  requestDuration(secondsSince(startedAt), {
    ...both,
    'http.request.method': method,
    'url.scheme': schemeOf(request),
    'network.protocol.version': request.httpVersion,
    ...(status && { 'http.response.status_code': String(status) }),
  });
  if (!span) return;
  if (route) span.updateName(`${method} ${route}`);
  endSpan(span, {
    ...(failed && { error: {} }),
    attributes: {
      ...both,
      'url.path': pathOf(request, route),
      ...(status && { 'http.response.status_code': status }),
      ...(from && { 'client.address': from }),
    },
  });
}

const schemeOf = ({ socket }: IncomingMessage): string => (socket instanceof TLSSocket ? 'https' : 'http');

function attributesOf(request: IncomingMessage, method: string): Attributes {
  const { url = '', headers, socket } = request;
  const query = url.split('?', 2)[1];
  // A name and a password before the host must not get into a span.
  const [, host, port] = /^(?:.*@)?(.*?)(?::(\d+))?$/.exec(headers.host ?? '') ?? [];
  return {
    'http.request.method': method,
    ...(method === OTHER && { 'http.request.method_original': request.method ?? '' }),
    'url.scheme': schemeOf(request),
    ...(query && { 'url.query': namesOf(query).slice(0, TEXT_MAX) }),
    'network.protocol.version': request.httpVersion,
    ...(host && { 'server.address': host.slice(0, TEXT_MAX) }),
    ...(port && { 'server.port': Number(port) }),
    // When undici stops reading the body, it removes the socket from the request.
    ...(socket?.remoteAddress && {
      'network.peer.address': socket.remoteAddress,
      'network.peer.port': socket.remotePort ?? 0,
    }),
    ...(headers['user-agent'] && { 'user_agent.original': headers['user-agent'].slice(0, TEXT_MAX) }),
  };
}

const HIDDEN = 'REDACTED';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// Matches whole tokens. `redact` later removes them from every attribute.
const TOKEN = /^(?:api|prj|vr)_[0-9A-Za-z]{16,}$/;
const NAME = /^[A-Za-z][\w.-]{0,39}$/;

/** Returns a path with the words of its route and the ids. Hides every other part, because a client may put a person there. */
function pathOf({ url = '' }: IncomingMessage, route = ''): string {
  const words = route.split('/');
  const isShown = (part: string, at: number) =>
    part === '' || part === words[at] || UUID.test(part) || TOKEN.test(part);
  const parts = url.split('?', 1)[0]!.split('/');
  return parts
    .map((part, at) => (isShown(part, at) ? part : HIDDEN))
    .join('/')
    .slice(0, TEXT_MAX);
}

/** Returns the names of a query without the values, because a value may be a search text or name a person. */
const namesOf = (query: string): string =>
  query
    .split('&')
    .map(part => {
      const [name = '', value] = part.split('=', 2);
      return value !== undefined && NAME.test(name) ? `${name}=${HIDDEN}` : HIDDEN;
    })
    .join('&');
