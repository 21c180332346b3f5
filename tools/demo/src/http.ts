import { redact } from '@recording-request/kit/redact';
import { check } from './check.ts';

export interface Answer {
  /** "GET /api/me", without tokens. */
  what: string;
  status: number;
  headers: Headers;
  bytes: Buffer;
}

export interface Request {
  method?: string;
  /** Sent as a Bearer token. */
  token?: string | undefined;
  /** Sent as application/json. */
  json?: unknown;
  headers?: Record<string, string>;
  signal: AbortSignal;
}

const LIMIT_MS = 60_000;

/** Sends one request and reads the whole HTTP response, within a minute. Accepts any status; rejects when no response arrives. */
export async function ask(url: string, request: Request): Promise<Answer> {
  const { method = 'GET', token, json, headers, signal } = request;
  const what = redact(`${method} ${new URL(url).pathname}`);
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: json === undefined ? undefined : JSON.stringify(json),
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    });
    return {
      what,
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.aborted ? `none within ${LIMIT_MS / 1000} s` : words(error);
    throw new Error(`expected ${what} to answer, got ${why}`, { cause: error });
  }
}

/** Returns the JSON of an HTTP response, which must have this status. */
export function jsonOf<T>(answer: Answer, status = 200): T {
  checkStatus(answer, status);
  try {
    return JSON.parse(answer.bytes.toString('utf8')) as T;
  } catch {
    return check(`${answer.what} to answer JSON`, false, answer.bytes.toString('utf8')) as never;
  }
}

/** Fails unless the HTTP response is an error of the contract: this status, and only `{error}` with a sentence. */
export function checkRefused(answer: Answer, status: number): string {
  const body = jsonOf<Record<string, unknown>>(answer, status);
  const keys = Object.keys(body);
  const { error } = body;
  const isError = keys.length === 1 && typeof error === 'string' && error.length > 0;
  check(`${answer.what} (${status}) to answer {"error": "<sentence>"} and nothing else`, isError, body);
  return error as string;
}

export function checkStatus(answer: Answer, status: number): void {
  const got = `${answer.status} ${isText(answer) ? answer.bytes.toString('utf8') : `(${answer.bytes.length} bytes)`}`;
  check(`${answer.what} to answer ${status}`, answer.status === status, got);
}

/** Returns the media type of an HTTP response, without its parameters. */
export const typeOf = (answer: Answer): string => (answer.headers.get('content-type') ?? '').split(';')[0]!.trim();

const isText = (answer: Answer) => /json|text/.test(typeOf(answer));

function words(error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  return cause?.code ?? cause?.message ?? String((error as Error).message ?? error);
}
