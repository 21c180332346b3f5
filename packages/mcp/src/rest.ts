/** One request to the REST API. `query` and `headers` have no undefined values. */
export interface RestRequest {
  method: 'GET' | 'POST';
  /** Begins with `/api/`. */
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Sent as JSON; undefined for none. */
  body?: unknown;
  /** Aborts a read whose caller is gone. A write ignores it. */
  signal?: AbortSignal;
}

export interface RestAnswer {
  status: number;
  /** Header names are in lower case. */
  headers: Record<string, string | string[] | number | undefined>;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
}

/** The access of the tools to the REST API and to their caller. */
export interface Host {
  /** Sends one request with the caller's token. Rejects if no answer came. */
  callRest(request: RestRequest): Promise<RestAnswer>;
  /** The public address of the service, without a trailing slash. */
  baseUrl: string;
  /** The caller's token. Its only use here is as the key of `confirm`. */
  token: string;
  /** Called with a failure that the caller must not see. */
  onFailure?(error: unknown): void;
  /** Returns the sentence for the caller about a request without an answer. By default, it asks the caller to try again. */
  sentenceOf?(error: unknown): string;
  /** Aborts when the caller is gone. */
  signal?: AbortSignal;
}

/** An error that the caller sees. */
export class ToolError extends Error {
  readonly about: { status?: number; code?: string; retryAfterSec?: number };

  constructor(sentence: string, about: ToolError['about'] = {}) {
    super(sentence);
    this.name = 'ToolError';
    this.about = about;
  }
}

type Value = string | number | boolean | undefined;

/** Sends REST requests. Throws a ToolError, with the sentence of the REST API, for each answer that is not 2xx. */
export interface Rest {
  // biome-ignore lint/suspicious/noExplicitAny: the caller names the fields that it reads.
  get(path: string, query?: Record<string, Value>): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: the caller names the fields that it reads.
  post(path: string, body: unknown, options?: { query?: Record<string, Value>; idempotencyKey?: string }): Promise<any>;
}

export function restOf({ callRest, onFailure, sentenceOf, signal }: Host): Rest {
  async function send(request: RestRequest): Promise<unknown> {
    let answer: RestAnswer;
    try {
      answer = await callRest(request);
    } catch (error) {
      onFailure?.(error);
      const sentence = sentenceOf?.(error) ?? 'The service did not answer; try again in a moment.';
      throw new ToolError(sentence, { status: 503, code: 'unavailable' });
    }
    if (answer.status >= 200 && answer.status < 300 && isObject(answer.json)) return answer.json;
    throw refusal(answer);
  }
  return {
    get: (path, query = {}) => send({ method: 'GET', path, query: texts(query), headers: {}, signal }),
    post: (path, body, { query = {}, idempotencyKey } = {}) => {
      const headers = { ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) };
      return send({ method: 'POST', path, query: texts(query), headers, body });
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const texts = (query: Record<string, Value>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

function refusal({ status, headers, json }: RestAnswer): ToolError {
  const said = isObject(json) && typeof json.error === 'string' ? json.error : undefined;
  const code = headers['error-code'];
  const wait = Number(headers['retry-after']);
  return new ToolError(said ?? `The service answered ${status}, which is not an answer of its API.`, {
    status,
    ...(typeof code === 'string' && { code }),
    ...(wait > 0 && { retryAfterSec: wait }),
  });
}

/** Returns the path of a project, or of a part of it. Ids are escaped, so that none leads to another route. */
export const projectPath = (projectId: string, ...rest: string[]): string =>
  ['/api/projects', projectId, ...rest].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join('/');
