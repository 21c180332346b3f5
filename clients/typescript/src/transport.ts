import {
  ApiError,
  ConnectionError,
  errorOf,
  RecordingRequestError,
  TimeoutError,
  UnexpectedAnswerError,
  unexpected,
} from './errors.ts';
import { checkPath } from './path.ts';
import { backoffOf, later, wait, within } from './waits.ts';

/** Options of a client. */
export interface ClientOptions {
  /** The address of the service, such as `https://record.example`. */
  baseUrl: string | URL;
  /** The owner's token (`api_…`). Dashboards and recorders need none. */
  token?: string;
  /** Further attempts after a lost connection, 408, 429, 5xx and temporary conflicts; 2 by default. */
  retries?: number;
  /** The longest wait for an answer, or for the next bytes of a body, in milliseconds; 75,000 by default, Infinity for ever. */
  timeoutMs?: number;
  /** The longest wait before an attempt, in milliseconds; 60,000 by default. A longer `Retry-After` throws at once. */
  maxRetryDelayMs?: number;
  /** Gets each failure after which the client makes another attempt, for calls that have no `onRetry` of their own. */
  onRetry?: OnRetry;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
}

/**
 * Gets the failure of an attempt, the wait before the next one in milliseconds, and the number of attempts that have
 * failed in a row, from 1. The message of the error has no token.
 */
export type OnRetry = (error: RecordingRequestError, delayMs: number, failures: number) => void;

/** Options of one call. They override the options of the client. */
export interface CallOptions {
  /** Aborts the call, its waits and its body. The call then throws the signal's reason. */
  signal?: AbortSignal;
  /** Further attempts. */
  retries?: number;
  /** The longest wait for an answer, or for the next bytes of a body, in milliseconds. */
  timeoutMs?: number;
  /** Gets each failure that is followed by another attempt. */
  onRetry?: OnRetry;
  /**
   * The `Idempotency-Key` of a POST. By default, each call has a new key, and all attempts of the call send the same
   * key.
   */
  idempotencyKey?: string;
}

export type Query = Record<string, string | number | boolean | readonly string[] | undefined | null>;

export interface Call {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with a slash. */
  path: string;
  query?: object;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged as text/csv. */
  csv?: string;
  /** Sent unchanged as application/octet-stream. */
  bytes?: Uint8Array;
  /** Sends no owner token. */
  anonymous?: boolean;
}

const LONGEST_ERROR = 65_536;
/** The maximum length of a JSON body or a document, in UTF-16 units after decompression. */
const LONGEST_TEXT = 64 * 1024 ** 2;
const TEMPORARY_CONFLICTS = ['conflict', 'idempotency_key_in_use'] as const;

/** Sends requests with retries, time limits and rate limits. */
export class Transport {
  readonly baseUrl: string;
  readonly options: Required<Omit<ClientOptions, 'baseUrl' | 'token' | 'onRetry'>> & Pick<ClientOptions, 'onRetry'>;
  readonly #token: string | undefined;
  /** When the next request may be sent, by the key of the rate that counts it. */
  readonly #pauses = new Map<string, number>();

  constructor({ baseUrl, token, ...options }: ClientOptions) {
    this.baseUrl = addressOf(baseUrl);
    if (token === '') throw new RecordingRequestError('token is empty.');
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new RecordingRequestError('token has a space or a letter that a header cannot have.');
    this.#token = token;
    this.options = {
      retries: options.retries ?? 2,
      timeoutMs: options.timeoutMs ?? 75_000,
      maxRetryDelayMs: options.maxRetryDelayMs ?? 60_000,
      onRetry: options.onRetry,
      fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    };
  }

  /** Returns a transport for another address, without the token. */
  at(baseUrl: string): Transport {
    return new Transport({ baseUrl, ...this.options });
  }

  /** Sends the call and returns its JSON. Throws `ApiError`, `ConnectionError` or `UnexpectedAnswerError`. */
  json<T>(call: Call, options: CallOptions = {}): Promise<T> {
    const accepting = { ...call, headers: { accept: 'application/json', ...call.headers } };
    return this.send(accepting, options, async response => {
      const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '');
      if (!isJson) throw unexpected(response, this.addressOf(call));
      const text = await this.#wholeTextOf(call, response, options);
      const body = parsed(text);
      // Every answer of the API is an object.
      if (typeof body !== 'object' || body === null) throw unexpected(response, this.addressOf(call));
      return body as T;
    });
  }

  /** Sends the call and returns its text. */
  text(call: Call, options: CallOptions = {}): Promise<string> {
    return this.send(call, options, response => this.#wholeTextOf(call, response, options));
  }

  /** Sends the call and ignores its body. */
  none(call: Call, options: CallOptions = {}): Promise<void> {
    return this.send(call, options, async response => response.body?.cancel());
  }

  /**
   * Sends the call and returns what `read` makes of a successful answer. After a temporary failure, repeats both.
   * Without `read`, returns the answer with an unread body.
   */
  async send<T = Response>(
    call: Call,
    options: CallOptions = {},
    read: (response: Response) => Promise<T> = async response => response as T,
  ): Promise<T> {
    const { retries = this.options.retries, onRetry = this.options.onRetry, signal } = options;
    checkPath(call.path);
    const headers = this.#headersOf(call, options);
    for (let attempt = 0; ; attempt++) {
      await this.#pause(call, signal);
      try {
        return await this.#attempt(call, headers, options, read);
      } catch (error) {
        signal?.throwIfAborted();
        const delayMs = attempt < retries ? this.#delayAfter(error, attempt) : undefined;
        if (delayMs === undefined) throw error;
        onRetry?.(error as RecordingRequestError, delayMs, attempt + 1);
        await wait(delayMs, signal);
      }
    }
  }

  async #attempt<T>(
    call: Call,
    headers: Headers,
    options: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { signal, timeoutMs = this.options.timeoutMs } = options;
    const { fetch } = this.options;
    const limit = new AbortController();
    const late = new TimeoutError(`${this.addressOf(call)} got no answer within ${timeoutMs / 1000} s.`);
    const cancel = later(timeoutMs, () => limit.abort(late));
    let response: Response | undefined;
    try {
      signal?.throwIfAborted();
      response = await fetch(this.#urlOf(call), {
        method: call.method ?? 'GET',
        headers,
        body: bodyOf(call),
        // A redirect means that baseUrl is wrong. The token must not be sent to the address of the redirect.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      });
      cancel();
      this.#noteRate(call, response.headers);
      if (!response.ok && response.status !== 304) {
        const text = await this.#textOf(call, response, options, LONGEST_ERROR).catch(() => '');
        throw errorOf(response, text, this.addressOf(call));
      }
      return await read(response);
    } catch (error) {
      // Without this, the connection of a body that nobody reads stays open.
      if (response?.body && !response.bodyUsed) await response.body.cancel().catch(() => {});
      signal?.throwIfAborted();
      if (limit.signal.aborted) throw late;
      throw error instanceof RecordingRequestError ? error : this.#lost(call, error);
    } finally {
      cancel();
    }
  }

  /** Returns the parts of a body. Each wait for a part has the time limit of the call. */
  async *parts(call: Call, { body }: Response, options: CallOptions = {}): AsyncGenerator<Uint8Array> {
    const { signal, timeoutMs = this.options.timeoutMs } = options;
    const reader = body?.getReader();
    if (!reader) return;
    const late = () => new TimeoutError(`${this.addressOf(call)} sent no bytes for ${timeoutMs / 1000} s.`);
    try {
      for (;;) {
        const { done, value } = await within(reader.read(), timeoutMs, signal, late);
        if (done) return;
        yield value;
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof RecordingRequestError ? error : this.#lost(call, error);
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  /** Returns the address for an error: without the tokens in paths. */
  addressOf({ path, method = 'GET' }: Call): string {
    return `${method} ${this.baseUrl}${path.replace(/^\/(r|project)\/[^/]+/, '/$1/…')}`;
  }

  /** Returns the body as text. Throws `UnexpectedAnswerError` if it is longer than any text of the API. */
  async #wholeTextOf(call: Call, response: Response, options: CallOptions): Promise<string> {
    const text = await this.#textOf(call, response, options, LONGEST_TEXT);
    if (text.length <= LONGEST_TEXT) return text;
    throw new UnexpectedAnswerError(`${this.addressOf(call)} answered with more than 64 MiB.`, response.status);
  }

  /** Returns the body as text: all of it, or a beginning that is longer than `longest`. */
  async #textOf(call: Call, response: Response, options: CallOptions, longest: number): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const part of this.parts(call, response, options)) {
      text += decoder.decode(part, { stream: true });
      if (text.length > longest) break;
    }
    return text + decoder.decode();
  }

  #lost(call: Call, error: unknown): ConnectionError {
    return new ConnectionError(`${this.addressOf(call)} failed: ${reasonOf(error)}`, { cause: error });
  }

  /** Returns the wait before the next attempt in milliseconds; undefined if there must be none. */
  #delayAfter(error: unknown, attempt: number): number | undefined {
    const backoff = backoffOf(attempt);
    if (error instanceof ConnectionError) return error.isPermanent ? undefined : backoff;
    if (!(error instanceof ApiError)) return undefined;
    if (!isTemporary(error.status) && !error.is(...TEMPORARY_CONFLICTS)) return undefined;
    const told = error.retryAfterSeconds ?? (error.status === 429 ? rateOf(error.headers)?.resetSeconds : undefined);
    if (told === undefined) return backoff;
    return told * 1000 > this.options.maxRetryDelayMs ? undefined : Math.max(told * 1000, backoff);
  }

  /** Waits while the rate of the last answers is used up. */
  async #pause(call: Call, signal: AbortSignal | undefined): Promise<void> {
    const until = this.#pauses.get(rateKeyOf(call)) ?? 0;
    const delayMs = Math.min(until - Date.now(), this.options.maxRetryDelayMs);
    if (delayMs > 0) await wait(delayMs, signal);
  }

  #noteRate(call: Call, headers: Headers): void {
    const rate = rateOf(headers);
    if (!rate) return;
    const key = rateKeyOf(call);
    if (rate.remaining === 0) this.#pauses.set(key, Date.now() + rate.resetSeconds * 1000);
    else this.#pauses.delete(key);
  }

  #headersOf(call: Call, options: CallOptions): Headers {
    const headers = new Headers(call.headers);
    if (!call.anonymous) {
      if (!this.#token) throw new RecordingRequestError('Set the option token: this call needs an owner token.');
      headers.set('authorization', `Bearer ${this.#token}`);
    }
    if (call.csv !== undefined) headers.set('content-type', 'text/csv');
    else if (call.bytes) headers.set('content-type', 'application/octet-stream');
    else if (call.json !== undefined) headers.set('content-type', 'application/json');
    if (call.method === 'POST') headers.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID());
    return headers;
  }

  #urlOf({ path, query = {} }: Call): string {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query as Query))
      if (value !== undefined && value !== null) search.set(name, String(value));
    return `${this.baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`;
  }
}

const bodyOf = ({ csv, bytes, json }: Call): BodyInit | undefined =>
  csv ?? (bytes as Uint8Array<ArrayBuffer> | undefined) ?? (json === undefined ? undefined : JSON.stringify(json));

/** Returns whether another attempt may succeed after an answer with this status. */
export const isTemporary = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500;

/** The service counts requests per owner token, per dashboard token, or per address. */
const rateKeyOf = ({ path, anonymous }: Call): string =>
  anonymous ? (/^\/project\/[^/]+/.exec(path)?.[0] ?? 'address') : 'token';

/** Returns the remaining requests and the seconds until all are available again, from the header RateLimit. */
export function rateOf(headers: Headers): { remaining: number; resetSeconds: number } | undefined {
  const [, remaining, resetSeconds] = /;\s*r=(\d{1,9})\s*;\s*t=(\d{1,9})/.exec(headers.get('ratelimit') ?? '') ?? [];
  if (remaining === undefined || resetSeconds === undefined) return undefined;
  return { remaining: Number(remaining), resetSeconds: Number(resetSeconds) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function addressOf(baseUrl: string | URL): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new RecordingRequestError('baseUrl must be an absolute address, such as https://record.example.');
  if (url.username || url.password || url.search || url.hash)
    throw new RecordingRequestError('baseUrl must have no user name, query or fragment.');
  const pathname = url.pathname.replace(/\/+$/, '');
  // A user may give this address, because the documents are at /api/docs. Every call would then get 404.
  const [extra] = /\/(?:api|mcp)$/.exec(pathname) ?? [];
  if (extra) throw new RecordingRequestError(`baseUrl must not end with ${extra}: leave it out.`);
  return `${url.origin}${pathname}`;
}

/** Returns the deepest message of an error: fetch puts the reason into `cause`. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: unknown };
  if (cause instanceof Error && cause !== error) return reasonOf(cause);
  const { code } = error as { code?: string };
  // The message of OpenSSL names its sources.
  if (code?.startsWith('ERR_SSL_')) return code;
  return message || code || String(error);
}
