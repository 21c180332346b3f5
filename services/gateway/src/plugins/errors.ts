import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorReason, isErrorReason } from '@recording-request/contract/error-codes';
import type { ErrorJson } from '@recording-request/contract/resources/error';
import { type Fault, faultsSentence } from '@recording-request/contract/validation';
import { asDomainError, DomainError, type ErrorCode, httpStatusOf } from '@recording-request/kit/errors';
import { redact } from '@recording-request/kit/redact';
import { expectsMore, UNMET_EXPECTATION } from '@recording-request/kit-rpc/expectations';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../adapters/trusted-proxies.ts';
import type { Config } from '../config.ts';
import type { ErrorPage } from './access-kinds.ts';
import type { RateLimits } from './rate-limit.ts';
import { logRequest } from './request-log.ts';
import { createRouteIndex, type RouteIndex } from './route-index.ts';
import { wrongQuery } from './unknown-filters.ts';

/** The seconds before a client may retry when a part of the service is down. */
export const RETRY_AFTER_SECONDS = 2;

/** An error with its own HTTP status, for cases that the services' error codes do not cover. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }
}

/** Turns every failure into an answer with only `{error}`. The cause goes to the request's log line. */
export function installErrors(app: FastifyInstance, limits: RateLimits): void {
  const routes = createRouteIndex();
  app.decorate('errorPages', new Map());
  app.addHook('onRoute', route => routes.add(route));
  app.addHook('onRequest', async (request, reply) => {
    const refusal = refusalOf(request, routes);
    if (!refusal) return;
    // Counts the request here, because no route counts it. Below the limit, the client gets the true status of its
    // wrong path.
    await limits.countAddress(reply, 'unknown', request.ip);
    throw refusal;
  });
  // Adds the default reason of the status to an answer without a reason, for example from another service.
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode >= 400 && !reply.hasHeader('error-code'))
      reply.header('error-code', reasonOf(reply.statusCode));
  });
  // The hook above responds before the body is read; this handler exists only because Fastify requires one.
  app.setNotFoundHandler((_request, reply) => send(reply, 404, 'There is no such route.', 'not_found'));
  app.setErrorHandler((error, request, reply) => answer(error as FastifyError, request, reply));
}

/** Returns the error for a request that no route can handle; undefined for other requests. */
function refusalOf(request: FastifyRequest, routes: RouteIndex): HttpError | DomainError | undefined {
  if (expectsMore(request.raw)) return new HttpError(417, UNMET_EXPECTATION, { connection: 'close' });
  // RFC 9112, section 3.2.
  if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
    return new HttpError(400, 'Send the header Host.', { connection: 'close' });
  if (!request.is404) return undefined;
  const allowed = routes.methodsOf(request.raw.url ?? '');
  if (allowed.length === 0) return new DomainError('not_found', unknownRoute(request.raw.url ?? '', routes));
  const sentence = `This route does not take ${request.method}; use ${allowed.join(', ')}.`;
  return new HttpError(405, sentence, { allow: allowed.join(', ') });
}

/** Returns the sentence about an unknown path. A client whose base address ends with /api requests /api/api/…. */
function unknownRoute(url: string, routes: RouteIndex): string {
  const [, rest] = /^\/api(\/.*)/s.exec(url) ?? [];
  if (rest && routes.methodsOf(rest).length > 0)
    return 'There is no such route. The base address must not end with /api: leave out the first /api of the path.';
  return 'There is no such route.';
}

function answer(error: FastifyError | DomainError | HttpError, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof HttpError) return send(reply.headers(error.headers), error.status, error.message);
  if (error instanceof DomainError) return answerDomainError(error, request, reply);
  if (error.validation) {
    const sentence = faultsSentence(error.validation as unknown as Fault[]);
    const { wrongNames = [] } = request;
    if (wrongNames.length === 0) return send(reply, 400, sentence, 'value_invalid');
    return answerDomainError(wrongQuery(wrongNames, [sentence.slice(0, -1)]), request, reply);
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return send(reply, 415, mediaTypeSentence(request));
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return send(reply, 413, tooLarge(request));
  const known = FRAMEWORK[error.code];
  if (known) return send(reply, known.status, known.sentence);
  // Plugins refuse some requests with a status of their choice; their messages do not have our wording.
  const { statusCode = 500 } = error;
  if (statusCode >= 400 && statusCode < 500) return send(reply, statusCode, 'The request could not be understood.');
  return answerDomainError(asDomainError(error), request, reply);
}

function answerDomainError(error: DomainError, request: FastifyRequest, reply: FastifyReply) {
  const status = httpStatusOf(error.code);
  if (error.code === 'internal') request.failure = { err: error.cause ?? error };
  else if (error.cause !== undefined) request.failure = { err: error.cause };
  if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', String(RETRY_AFTER_SECONDS));
  if (error.retryAfterSec !== undefined) reply.header('retry-after', String(error.retryAfterSec));
  return send(reply, status, error.message, isErrorReason(error.reason) ? error.reason : REASON[error.code]);
}

// The default reason of each status, when no service sent a more precise one.
const REASON: Record<ErrorCode, ErrorReason> = {
  invalid: 'value_invalid',
  unauthenticated: 'token_invalid',
  forbidden: 'forbidden',
  not_found: 'not_found',
  conflict: 'conflict',
  gone: 'gone',
  too_large: 'body_too_large',
  unprocessable: 'unprocessable',
  too_many: 'rate_limited',
  unavailable: 'unavailable',
  timeout: 'unavailable',
  cancelled: 'request_malformed',
  internal: 'internal_error',
};

const REASON_OF_STATUS: Record<number, ErrorReason> = {
  400: 'value_invalid',
  401: 'token_invalid',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  410: 'gone',
  413: 'body_too_large',
  415: 'body_not_json',
  416: 'range_not_satisfiable',
  417: 'expectation_failed',
  422: 'unprocessable',
  423: 'upload_locked',
  429: 'rate_limited',
  431: 'headers_too_large',
  500: 'internal_error',
  503: 'unavailable',
};

const reasonOf = (status: number): ErrorReason => REASON_OF_STATUS[status] ?? 'request_malformed';

/**
 * Redacts the sentence, because clients store errors and the sentence quotes the request, which may have a token in the
 * wrong place.
 */
function send(reply: FastifyReply, status: number, said: string, reason: ErrorReason = reasonOf(status)) {
  const sentence = redact(said);
  reply.header('error-code', reason);
  if (!reply.hasHeader('request-id')) reply.header('request-id', reply.request.id);
  // The handler set these headers for the answer that this error replaces.
  for (const name of ['content-disposition', 'content-length', 'content-range', 'accept-ranges', 'etag']) {
    if (status !== 416 || name !== 'content-range') reply.removeHeader(name);
  }
  reply.header('cache-control', 'no-store');
  const page = pageFor(reply.request)?.(reply.code(status), sentence);
  if (page) return page;
  const body: ErrorJson = { error: sentence };
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Returns the page that shows an error of this address. */
function pageFor({ method, raw, server }: FastifyRequest): ErrorPage | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const path = `${raw.url?.split('?', 1)[0]?.toLowerCase()}/`;
  return [...server.errorPages].find(([start]) => path.startsWith(start))?.[1];
}

/** Returns whether a person opened the address in a browser, not a program. */
export const takesPage = (headers: IncomingHttpHeaders): boolean => /\btext\/html\b/.test(headers.accept ?? '');

/** Returns the sentence of a 413 for a JSON body. */
export const bodyLimitSentence = (bytes: number): string =>
  `The body is too large: send at most ${bytes.toLocaleString('en-US')} bytes.`;
const tooLarge = ({ routeOptions }: FastifyRequest): string => bodyLimitSentence(routeOptions.bodyLimit);

function mediaTypeSentence({ routeOptions: { schema } }: FastifyRequest): string {
  const { content = { 'application/json': {} } } = (schema?.body ?? {}) as { content?: object };
  return `Send the body as ${Object.keys(content).join(' or ')}.`;
}

// Fastify's own errors by code: https://fastify.dev/docs/latest/Reference/Errors/
const FRAMEWORK: Record<string, { status: number; sentence: string }> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, sentence: 'The body is not as long as Content-Length says.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { status: 400, sentence: 'The body must be a JSON object.' },
  FST_ERR_BAD_URL: { status: 400, sentence: 'The path is not a valid URL path.' },
  FST_ERR_ASYNC_CONSTRAINT: { status: 400, sentence: 'The request could not be understood.' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 404, sentence: 'There is no such route.' },
};

/** Returns the handler of failures before routing. It counts the request, because no hook has counted it. */
export function frameworkErrorHandler(limits: RateLimits, { trustedProxies }: Pick<Config, 'trustedProxies'>) {
  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.raw.once('close', () => logRequest(request, reply));
    reply.headers(reply.server.securityHeaders);
    try {
      const { remoteAddress = '' } = request.raw.socket;
      // Computes the address from the proxies here, because Fastify has not computed `ip` for this request.
      const address = callerAddress(trustedProxies, remoteAddress, request.headers['x-forwarded-for']);
      await limits.countAddress(reply, 'unknown', address);
    } catch (refusal) {
      answer(refusal as DomainError, request, reply);
      return;
    }
    const known = FRAMEWORK[error.code] ?? { status: 400, sentence: 'The request could not be understood.' };
    send(reply, known.status, known.sentence);
  };
}
