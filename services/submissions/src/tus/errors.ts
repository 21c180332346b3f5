import type { ErrorReason } from '@recording-request/contract/error-codes';
import { asDomainError, DomainError, httpStatusOf } from '@recording-request/kit/errors';
import type { Logger } from '@recording-request/kit/log';
import { ERRORS } from '@tus/server';

/** An error in the form that the handlers of `@tus/server` expect: they read status_code. */
export interface TusError {
  status_code: number;
  body: string;
  /** The error code of the contract. */
  reason?: string | undefined;
  /** The cause, for the log: usually, a service cannot be reached. */
  cause?: unknown;
}

/** After 423 a client retries; after 409 it would request the offset again. */
export const LOCKED: TusError = {
  status_code: 423,
  body: 'Another request is writing to this upload; try again in a moment.',
  reason: 'upload_locked' satisfies ErrorReason,
};

// After 4xx a client gives up, but it should resume a body that stopped before its end.
const CUT_SHORT: TusError = {
  status_code: 503,
  body: 'The upload stopped before the end of its body: ask for its offset with HEAD, and go on from there.',
  reason: 'upload_incomplete' satisfies ErrorReason,
};

const OFFSET_MISMATCH: TusError = {
  status_code: 409,
  body: 'Upload-Offset is not where this upload stands: ask with HEAD, and go on from there.',
  reason: 'offset_mismatch' satisfies ErrorReason,
};

export const tusError = (status: number, message: string, reason?: string): TusError => ({
  status_code: status,
  body: message,
  reason,
});

/** Rethrows a DomainError in the form that `@tus/server` expects. */
export function rethrowAsTusError(error: unknown): never {
  if (error instanceof DomainError && error.code !== 'internal')
    throw { ...tusError(httpStatusOf(error.code), error.message, error.reason), cause: error.cause };
  throw error;
}

// Our own sentences, because the library's texts do not say what the client must change.
const ONE_LENGTH = 'Send either Upload-Length, in bytes, or Upload-Defer-Length: 1, and not both.';
const METADATA =
  'Upload-Metadata must be pairs of a key and its value in base64 with a space between, parted by commas, each key once.';
const HEADER_RULES: Record<string, string> = {
  'upload-offset': 'Upload-Offset must be a whole number from 0: how many bytes are here already, as HEAD tells.',
  'upload-length': 'Upload-Length must be a whole number from 0: the bytes of the whole take.',
  'upload-defer-length': 'Upload-Defer-Length must be 1, or be left out.',
  'upload-metadata': METADATA,
};
const SENTENCES = new Map<unknown, (maxBytes: number) => string>([
  [ERRORS.INVALID_LENGTH, () => ONE_LENGTH],
  [ERRORS.INVALID_METADATA, () => METADATA],
  [ERRORS.ERR_MAX_SIZE_EXCEEDED, max => `Upload-Length must be at most ${max}: an upload may have no more bytes.`],
  [
    ERRORS.ERR_SIZE_EXCEEDED,
    max =>
      `The body goes beyond Upload-Length, or beyond the ${max} bytes that an upload may have: send no more than that.`,
  ],
  [ERRORS.FILE_NOT_FOUND, () => 'There is no such upload.'],
]);

/**
 * Returns our sentence in place of the library's text about invalid headers; returns the library's text when there is
 * no sentence for it.
 */
export function headersSentence(text: string): string {
  const [, names = ''] = /^Invalid ([a-z- ]+)$/.exec(text) ?? [];
  const rules = names.split(' ').flatMap(name => HEADER_RULES[name] ?? []);
  return rules.length > 0 ? rules.join(' ') : text;
}

/** Returns the HTTP response to any error, with a JSON body. Internal details go only to the log. */
export function answerToError(error: unknown, log: Logger, maxBytes: number): TusError {
  const { status_code, body, reason } = faultOf(error, log, maxBytes);
  return { status_code, body: JSON.stringify({ error: body.trim(), reason } satisfies Fault) };
}

/** The body of an error response. `server.ts` then moves the reason into a header. */
export interface Fault {
  error: string;
  reason?: string | undefined;
}

function faultOf(error: unknown, log: Logger, maxBytes: number): TusError {
  if (error === ERRORS.ABORTED) return CUT_SHORT;
  if (error === ERRORS.INVALID_OFFSET) return OFFSET_MISMATCH;
  if (isTusError(error)) {
    noteOutage(error.cause, log);
    return { ...error, body: SENTENCES.get(error)?.(maxBytes) ?? error.body };
  }
  const domain = asDomainError(error);
  if (domain.code === 'internal') log.error({ err: domain.cause }, 'An upload request failed');
  else noteOutage(domain.cause, log);
  return tusError(domain.code === 'internal' ? 503 : httpStatusOf(domain.code), domain.message, domain.reason);
}

/** Logs the cause, because the client can only retry and nothing else records the cause. */
function noteOutage(cause: unknown, log: Logger): void {
  if (cause !== undefined) log.warn({ err: cause }, 'An upload request failed for now; the client may retry');
}

const isTusError = (error: unknown): error is TusError =>
  !(error instanceof DomainError) && typeof (error as { status_code?: unknown } | null)?.status_code === 'number';
