import assert from 'node:assert/strict';
import { type ErrorReason, isErrorReason } from '@recording-request/contract/error-codes';
import { redact } from '@recording-request/kit/redact';

export interface Request {
  method?: string;
  token?: string | undefined;
  /** The body, sent as application/json. */
  json?: unknown;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export interface Answer {
  /** The request and the status for messages, such as "GET /api/me → 200". */
  what: string;
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** Media type without its parameters. */
  type: string;
  text(): string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on the body, whatever its shape.
  json(): any;
}

export type HttpClient = (path: string, request?: Request) => Promise<Answer>;

const LIMIT_MS = 60_000;

/** Returns a function that sends one request. `path` may be a full URL that the API returned. */
export const httpClient =
  (baseUrl: string, token?: string): HttpClient =>
  (path, request = {}) =>
    send(new URL(path, baseUrl), { token, ...request });

/**
 * Sends one request and reads the whole answer; any status is accepted. Rejects when no answer arrives within a minute.
 */
export async function send(url: URL | string, request: Request = {}): Promise<Answer> {
  const { method = 'GET', token, json, headers, signal } = request;
  const what = redact(`${method} ${new URL(url).pathname}`);
  const limit = AbortSignal.timeout(LIMIT_MS);
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? request.body : JSON.stringify(json),
    redirect: 'manual',
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  }).catch(error => {
    throw signal?.aborted ? error : new Error(`${what}: no answer`, { cause: error });
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = () => bytes.toString('utf8');
  return {
    what: `${what} → ${response.status}`,
    status: response.status,
    headers: response.headers,
    bytes,
    type: (response.headers.get('content-type') ?? '').split(';')[0]!.trim(),
    text,
    json: () => JSON.parse(text()),
  };
}

/** Fails unless the answer has this status and, if given, this media type. */
export function expectAnswer(answer: Answer, status: number, type?: string): void {
  assert.equal(answer.status, status, `${answer.what}, expected ${status}: ${redact(answer.text().slice(0, 500))}`);
  if (type !== undefined) assert.equal(answer.type, type, answer.what);
}

/** Returns the JSON of a success. Fails when the status or the media type differs. */
export function ok(answer: Answer, status = 200) {
  expectAnswer(answer, status, 'application/json');
  return answer.json();
}

/**
 * Returns the sentence of a refusal. Fails unless the answer has this status and only `{error}` with one sentence, as the
 * contract requires.
 */
export function refused(answer: Answer, status: number, reason?: ErrorReason): string {
  expectAnswer(answer, status, 'application/json');
  const body = answer.json();
  assert.deepEqual(Object.keys(body), ['error'], answer.what);
  assert.match(body.error, /^[A-Za-z"].*\.$/s, `${answer.what}: no sentence`);
  assert.doesNotMatch(
    body.error,
    /node_modules|\bat .+:\d+|mongo|grpc|ECONN|127\.0\.0\.1/i,
    `${answer.what} echoes internals`,
  );
  const code = answer.headers.get('error-code') ?? '';
  assert.ok(isErrorReason(code), `${answer.what}: ${code || 'none'} is no listed Error-Code`);
  if (reason !== undefined) assert.equal(code, reason, answer.what);
  assert.match(answer.headers.get('request-id') ?? '', /^[0-9a-f]{32}$/, `${answer.what}: no Request-Id`);
  return body.error;
}
