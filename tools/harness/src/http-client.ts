import assert from 'node:assert/strict';
import { type ErrorReason, isErrorReason } from '@recording-request/contract/error-codes';

export interface Request {
  method?: string;
  /** The bearer token. */
  token?: string | undefined;
  /** The body, sent as application/json. */
  json?: unknown;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

export interface Answer {
  /** For messages, such as "GET /api/me → 200". */
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

/**
 * Returns a function that sends one request and reads the whole answer, whatever its status. `path` may be a full URL that the
 * API returned.
 */
export const httpClient =
  (baseUrl: string, token?: string): HttpClient =>
  async (path, request = {}) => {
    const { method = 'GET', json, headers } = request;
    const bearer = 'token' in request ? request.token : token;
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: json === undefined ? request.body : JSON.stringify(json),
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = () => bytes.toString('utf8');
    return {
      what: `${method} ${new URL(path, baseUrl).pathname} → ${response.status}`,
      status: response.status,
      headers: response.headers,
      bytes,
      type: (response.headers.get('content-type') ?? '').split(';')[0]!.trim(),
      text,
      json: () => JSON.parse(text()),
    };
  };

/** Returns the JSON of a success. Fails when the status or the media type differs. */
export function ok(answer: Answer, status = 200) {
  assert.equal(answer.status, status, `${answer.what}: ${answer.text().slice(0, 500)}`);
  assert.equal(answer.type, 'application/json', answer.what);
  return answer.json();
}

/**
 * Returns the sentence of a refusal. Fails unless the answer has this status and only `{error}` with one sentence, as the
 * contract requires.
 */
export function refused(answer: Answer, status: number, reason?: ErrorReason): string {
  assert.equal(answer.status, status, `${answer.what}, expected ${status}: ${answer.text().slice(0, 500)}`);
  assert.equal(answer.type, 'application/json', answer.what);
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
