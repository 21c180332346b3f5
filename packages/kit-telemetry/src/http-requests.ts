import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { type Attributes, context, propagation, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { attributeSets } from './attribute-sets.ts';
import { durationOf, secondsSince } from './metrics.ts';
import { type OpenSpan, openSpan } from './open-span.ts';
import type { AttributesOf } from './registry.ts';
import { isMeasured, isTraced } from './signals.ts';
import { subjectAttributes } from './subject.ts';

const requestDuration = durationOf('http.server.request.duration');
const measured = attributeSets<AttributesOf<'http.server.request.duration'>>();
// As the semantic conventions of HTTP know them.
const KNOWN = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE']);
const OTHER = '_OTHER';
const HEALTH = /^\/healthz(?:[/?]|$)/;
// Of texts that anybody sends.
const TEXT_MAX = 500;
// A field of the request: a weak map of all that run would cost each collection of garbage.
const SERVED = Symbol('recording-request.served');

type Noted = IncomingMessage & { [SERVED]?: Served };

interface Served {
  method: string;
  startedAt: number;
  span?: OpenSpan;
  route?: string;
  from?: string;
}

/**
 * Runs `serve` in the span of a request, which continues the trace that its headers carry, and measures it to the end of its answer.
 * Health checks are left out. Where nobody reads traces or metrics it does nothing else.
 */
export function inRequest(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
  if (!(isTraced() || isMeasured()) || HEALTH.test(request.url ?? '')) {
    serve();
    return;
  }
  const method = KNOWN.has(request.method ?? '') ? request.method! : OTHER;
  const noted: Served = { method, startedAt: performance.now() };
  (request as Noted)[SERVED] = noted;
  response.once('close', () => end(request, response, noted));
  if (!isTraced()) {
    serve();
    return;
  }
  noted.span = openSpan({
    name: method,
    kind: SpanKind.SERVER,
    parent: propagation.extract(ROOT_CONTEXT, request.headers),
    decisive: { 'http.request.method': method },
    attributes: () => attributesOf(request, noted),
  });
  // A connection emits the bytes of all its requests in a context of its own.
  if (request.headers['transfer-encoding'] ?? request.headers['content-length'])
    context.bind(noted.span.context, request);
  context.with(noted.span.context, serve);
}

/** Calls `run` when an answer is over, however it ends, as a part of what is running now. */
export function whenClosed(response: ServerResponse, run: () => void): void {
  const running = context.active();
  response.once('close', () => context.with(running, run));
}

/** Has the span and the duration of a request known by its route, such as `/api/projects/:projectId`: a path has ids and tokens. `from`: who asked. */
export function nameRequest(request: IncomingMessage, route: string | undefined, from?: string): void {
  const noted = (request as Noted)[SERVED];
  if (!noted) return;
  if (route) noted.route = templateOf(route);
  if (from) noted.from = from;
}

/** Gives the span of a request the ids that `about` has, wherever they become known; what begins within it from then on has them too. */
export function noteRequest(request: IncomingMessage, about: object): void {
  (request as Noted)[SERVED]?.span?.set(subjectAttributes(about));
}

const templates = new Map<string, string>();

/** As many as there are routes. */
function templateOf(route: string): string {
  let template = templates.get(route);
  if (template === undefined) {
    template = route.replace(/:(\w+)/g, '{$1}');
    templates.set(route, template);
  }
  return template;
}

function end(request: IncomingMessage, response: ServerResponse, noted: Served): void {
  const { method, startedAt, span, route, from } = noted;
  const { headersSent } = response;
  const status = headersSent ? response.statusCode : undefined;
  // Without an answer its client went away, which is no fault of ours.
  const failed = status !== undefined && status >= 500;
  const [scheme, version] = [schemeOf(request), request.httpVersion];
  const attributes = measured(`${status} ${scheme} ${version} ${method} ${route}`, () => ({
    'http.request.method': method,
    'url.scheme': scheme,
    'network.protocol.version': version,
    ...(route && { 'http.route': route }),
    ...(status && { 'http.response.status_code': String(status) }),
    ...(failed && { 'error.type': String(status) }),
  }));
  requestDuration(secondsSince(startedAt), attributes);
  span?.end({
    ...(route && { name: `${method} ${route}` }),
    ...(failed && { error: {} }),
    attributes: {
      ...(route && { 'http.route': route }),
      ...(failed && { 'error.type': String(status) }),
      ...(status && { 'http.response.status_code': status }),
      ...(from && { 'client.address': from }),
    },
  });
}

const schemeOf = ({ socket }: IncomingMessage): string => (socket instanceof TLSSocket ? 'https' : 'http');

function attributesOf(request: IncomingMessage, { method }: Served): Attributes {
  const { url = '', headers, socket } = request;
  const [path, query] = url.split('?', 2);
  // Nobody's name and password belong there, but who sends them must not find them again.
  const [, host, port] = /^(?:.*@)?(.*?)(?::(\d+))?$/.exec(headers.host ?? '') ?? [];
  return {
    'http.request.method': method,
    ...(method === OTHER && { 'http.request.method_original': request.method ?? '' }),
    'url.scheme': schemeOf(request),
    'url.path': path?.slice(0, TEXT_MAX) ?? '',
    ...(query && { 'url.query': query.slice(0, TEXT_MAX) }),
    'network.protocol.version': request.httpVersion,
    ...(host && { 'server.address': host.slice(0, TEXT_MAX) }),
    ...(port && { 'server.port': Number(port) }),
    // undici takes the socket off a request whose body it gives up.
    ...(socket?.remoteAddress && {
      'network.peer.address': socket.remoteAddress,
      'network.peer.port': socket.remotePort ?? 0,
    }),
    ...(headers['user-agent'] && { 'user_agent.original': headers['user-agent'].slice(0, TEXT_MAX) }),
  };
}
