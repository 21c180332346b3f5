import type { ERROR_CODES } from './error-codes.gen.ts';

/** A code that this version knows. */
export type KnownErrorCode = (typeof ERROR_CODES)[number];
/** A known code, or one of a later version. */
export type ErrorCode = KnownErrorCode | (string & {});

/** The base of every error of this client, except an abort: an aborted call throws the reason of its signal. */
export class RecordingRequestError extends Error {
  override name = 'RecordingRequestError';
}

/** The details of an answer that is an error. */
export interface ApiErrorDetails {
  status: number;
  /** The header `Error-Code`; absent in errors of a proxy. */
  code: ErrorCode | undefined;
  /** The header `Request-Id`: the operator finds the request by it. */
  requestId: string | undefined;
  /** The seconds of `Retry-After`. */
  retryAfterSeconds: number | undefined;
  headers: Headers;
}

/** An error that the API answered. `message` is the sentence for people; `code` is the word for programs. */
export class ApiError extends RecordingRequestError implements ApiErrorDetails {
  override name = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Headers;

  constructor(message: string, details: ApiErrorDetails) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.headers = details.headers;
  }

  /** Returns whether the error has one of these codes. */
  is<Code extends ErrorCode>(...codes: Code[]): this is this & { code: Code } {
    return this.code !== undefined && (codes as ErrorCode[]).includes(this.code);
  }
}

/** 401: the token is missing, malformed, unknown or revoked. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError';
}
/** 403: the token lacks a scope, or the allowance is exceeded. */
export class PermissionError extends ApiError {
  override name = 'PermissionError';
}
/** 400 and 422: a value is not valid; the sentence names it. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError';
}
/** 404: the resource does not exist, is not yours, or is not ready yet. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}
/** 409: the request conflicts with the current state. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}
/** 410: the data was erased, the link has ended, or the cursor has expired. */
export class GoneError extends ApiError {
  override name = 'GoneError';
}
/** 429: too many requests. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}
/** 5xx: the service could not answer. */
export class ServerError extends ApiError {
  override name = 'ServerError';
}

/** No answer came: the address, the network or TLS failed. `cause` is the error of the platform. */
export class ConnectionError extends RecordingRequestError {
  override name = 'ConnectionError';
  /** True if a retry would also fail: the client does not trust the server's certificate, or the server does not speak TLS. */
  get isPermanent(): boolean {
    return TLS_FAILURE.test(codeOf(this.cause));
  }
}
/** No answer, or no byte of a body, came within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}
/** The answer is not one of this API: `baseUrl` is wrong, or a proxy answered. */
export class UnexpectedAnswerError extends RecordingRequestError {
  override name = 'UnexpectedAnswerError';
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
/** A download broke off. The bytes so far are valid, and a later call can continue. */
export class DownloadError extends RecordingRequestError {
  override name = 'DownloadError';
}
/** The bytes of a download do not have the promised length or SHA-256: throw them away. */
export class IntegrityError extends DownloadError {
  override name = 'IntegrityError';
}
/** The file on the server changed during the download; start it again. */
export class DownloadChangedError extends DownloadError {
  override name = 'DownloadChangedError';
}
/** An upload failed, or its recording was refused. `code` is the `Error-Code` or the `errorCode` of the upload. */
export class UploadError extends RecordingRequestError {
  override name = 'UploadError';
  readonly code: string | undefined;
  constructor(message: string, code?: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
/** The signature of a webhook is missing, wrong or too old: refuse the request. */
export class SignatureError extends RecordingRequestError {
  override name = 'SignatureError';
}

const TLS_FAILURE = /CERT|SELF_SIGNED|ERR_TLS|ERR_SSL|UNABLE_TO_(?:GET|VERIFY)/;

/** Returns the code of the deepest error: fetch puts the reason into `cause`. */
function codeOf(error: unknown): string {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: string };
  return (cause === undefined ? '' : codeOf(cause)) || (code ?? '');
}

const BY_STATUS: Record<number, typeof ApiError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  422: InvalidRequestError,
  429: RateLimitError,
};

/** Returns the error for an HTTP response without success. `text` is its body. */
export function errorOf(response: Response, text: string, address: string): ApiError | UnexpectedAnswerError {
  const { status, headers } = response;
  const sentence = sentenceOf(text);
  const word = headers.get('error-code') ?? undefined;
  if (sentence === undefined && word === undefined && status < 500) return unexpected(response, address);
  const Kind = BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
  return new Kind(sentence ?? `${address} answered ${status}.`, {
    status,
    code: word as ErrorCode | undefined,
    requestId: headers.get('request-id') ?? undefined,
    retryAfterSeconds: retryAfterOf(headers.get('retry-after')),
    headers,
  });
}

/** Returns the error of an answer that this API does not give. */
export function unexpected({ status, headers }: Response, address: string): UnexpectedAnswerError {
  const type = headers.get('content-type') ?? 'no content type';
  return new UnexpectedAnswerError(
    `${address} answered ${status} with ${type}, which the API does not do. Check baseUrl and the proxies before it.`,
    status,
  );
}

/** Returns the seconds of Retry-After; undefined without a valid one. */
export function retryAfterOf(value: string | null | undefined): number | undefined {
  const text = value?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function sentenceOf(text: string): string | undefined {
  try {
    const { error } = (JSON.parse(text) ?? {}) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
