import { ConnectionError } from '@recording-request/client';
import type { Host, RestAnswer, RestRequest } from '#mcp-tools';

// The same time limit for a call as at `POST /mcp` of the gateway.
const LIMIT_MS = 60_000;

/**
 * Returns a function that sends the requests of the tools to the service at `baseUrl`. It rejects with a
 * `ConnectionError` if no answer came.
 */
export function restCaller(baseUrl: string, token: string): Host['callRest'] {
  return async request => {
    try {
      return await send(baseUrl, token, request);
    } catch (error) {
      const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
      const isLate = name === 'TimeoutError';
      const reason = isLate ? `no answer within ${LIMIT_MS / 1000} s` : cause?.message || cause?.code || message;
      throw new ConnectionError(`${baseUrl} is not reachable: ${reason}`, { cause: error });
    }
  };
}

async function send(
  baseUrl: string,
  token: string,
  { method, path, query, headers, body, signal }: RestRequest,
): Promise<RestAnswer> {
  const search = new URLSearchParams(query);
  const limit = AbortSignal.timeout(LIMIT_MS);
  const response = await fetch(`${baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`, {
    method,
    headers: {
      ...{ accept: 'application/json', 'user-agent': 'rr-mcp', ...headers, authorization: `Bearer ${token}` },
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A redirect means that the address is wrong. The token must not be sent to the address of the redirect.
    redirect: 'manual',
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '');
  const text = await response.text();
  const json = isJson ? parsed(text) : undefined;
  return { status: response.status, headers: Object.fromEntries(response.headers), json };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
