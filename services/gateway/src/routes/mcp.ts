import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { DomainError } from '@recording-request/kit/errors';
import type { Host, RestAnswer, RestRequest } from '@recording-request/mcp/rest';
import { mcpServer } from '@recording-request/mcp/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { anyOwner } from '../plugins/access-kinds.ts';
import { callRoute } from '../plugins/internal-calls.ts';

// Enough for fifty people with metadata.
const BODY_BYTES = 256 * 1024;
// Only protocol 2025-03-26 has batches.
const MESSAGES_MAX = 10;
// As long as the longest wait for a service.
const DEADLINE_MS = 60_000;
// For writes, which continue without their client.
const NEVER = new AbortController().signal;
const PASSED_ON = ['accept', 'content-type', 'mcp-protocol-version'];

/**
 * Serves the tools of agents, unless MCP is off. Keeps nothing between requests, so each request may reach any replica.
 */
export async function mcpRoutes(app: FastifyInstance, { config, baseUrl }: Context): Promise<void> {
  if (config.mcp === 'off') return;
  const { origin } = new URL(baseUrl);

  app.post(
    '/mcp',
    {
      bodyLimit: Math.min(BODY_BYTES, config.bodyLimitBytes),
      config: anyOwner,
      schema: { hide: true, body: { type: ['object', 'array'], minItems: 1 } },
      // Prevents DNS rebinding: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
      onRequest: async ({ headers }) => {
        if (headers.origin === undefined || headers.origin === origin) return;
        throw new DomainError('forbidden', `Pages of other origins may not call this; send no Origin but ${origin}.`);
      },
    },
    (request, reply) => answer(request, reply),
  );

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (Array.isArray(request.body)) checkBatch(request.body);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const ended = new AbortController();
    const server = mcpServer(hostOf(request, AbortSignal.any([request.clientGone, ended.signal])));
    try {
      await server.connect(transport);
      const given = new Request(`${baseUrl}/mcp`, { method: 'POST', headers: passedOn(request) });
      const response = await inTime(transport.handleRequest(given, { parsedBody: request.body }), request.clientGone);
      const text = await response.text();
      reply.code(response.status);
      return text === '' ? reply.send() : reply.type('application/json; charset=utf-8').send(text);
    } finally {
      ended.abort();
      await server.close();
    }
  }

  function hostOf(request: FastifyRequest, signal: AbortSignal): Host {
    const { authorization = '', 'x-forwarded-for': forwarded, 'user-agent': agent } = request.headers;
    const headers = {
      authorization,
      ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
      ...(agent !== undefined && { 'user-agent': agent }),
    };
    const { remoteAddress } = request.raw.socket;
    return {
      baseUrl,
      token: authorization.replace(/^bearer +/i, '').trim(),
      signal,
      onFailure: err => {
        request.failure = { err };
      },
      callRest: call => callRest(call, { ...headers, ...call.headers }, remoteAddress),
    };
  }

  async function callRest(
    { method, path, query, body, signal }: RestRequest,
    headers: Record<string, string | string[]>,
    remoteAddress: string | undefined,
  ): Promise<RestAnswer> {
    const options = {
      method,
      url: path,
      query,
      headers,
      remoteAddress,
      ...(body !== undefined && { payload: body as object }),
    };
    const got = await callRoute(app, options, signal ?? NEVER);
    const isJson = String(got.headers['content-type']).startsWith('application/json');
    return { status: got.statusCode, headers: got.headers, json: isJson ? got.json() : undefined };
  }
}

/** Throws if no response could answer all of these messages. */
function checkBatch(messages: { id?: unknown; method?: unknown; params?: { requestId?: unknown } }[]): void {
  if (messages.length > MESSAGES_MAX)
    throw new DomainError('invalid', `Send at most ${MESSAGES_MAX} messages in one request.`);
  const ids: unknown[] = messages.map(message => message?.id).filter(id => id !== undefined);
  if (new Set(ids).size < ids.length) throw new DomainError('invalid', 'Give each message of a request its own id.');
  const isCancelled = messages.some(
    message => message?.method === 'notifications/cancelled' && ids.includes(message.params?.requestId),
  );
  if (isCancelled)
    throw new DomainError('invalid', 'A request cannot cancel a call that it contains: leave the call out.');
}

function passedOn({ headers }: FastifyRequest): Headers {
  const kept = new Headers();
  for (const name of PASSED_ON) {
    const value = headers[name];
    if (typeof value === 'string') kept.set(name, value);
  }
  return kept;
}

/** Returns the response. Throws if it takes too long, because a cancelled call never gets a response. */
async function inTime(answering: Promise<Response>, clientGone: AbortSignal): Promise<Response> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () =>
    reject(
      new DomainError('unavailable', `The call took longer than ${DEADLINE_MS / 1_000} s; look what it has done.`),
    );
  const gone = () => reject(new DomainError('cancelled', 'The client went away.'));
  const timer = setTimeout(late, DEADLINE_MS);
  clientGone.addEventListener('abort', gone, { once: true });
  try {
    return await Promise.race([answering, promise]);
  } finally {
    clearTimeout(timer);
    clientGone.removeEventListener('abort', gone);
  }
}
