import type { ErrorReason } from '@recording-request/contract/error-codes';
import { asDomainError, DomainError, httpStatusOf } from '@recording-request/kit/errors';
import type { Logger } from '@recording-request/kit/log';
import { ERRORS } from '@tus/server';

/** The shape in which the protocol's handlers expect errors: they read status_code. */
export interface TusError {
  status_code: number;
  body: string;
  /** The word for programs, of the contract's error codes. */
  reason?: string | undefined;
}

/** The client retries after 423, and 409 would make it look for another offset. */
export const LOCKED: TusError = {
  status_code: 423,
  body: 'Another request is writing to this upload; try again in a moment.',
  reason: 'upload_locked' satisfies ErrorReason,
};

// A client gives up at 4xx: one whose body stopped short is to go on.
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

/** Rethrows an error of ours in the shape that the protocol's handlers understand. */
export function rethrowAsTusError(error: unknown): never {
  if (error instanceof DomainError && error.code !== 'internal')
    throw tusError(httpStatusOf(error.code), error.message, error.reason);
  throw error;
}

/** The answer for an error, of the protocol's own code or of ours, its body in JSON; what is inner goes to the log alone. */
export function answerToError(error: unknown, log: Logger): TusError {
  const { status_code, body, reason } = faultOf(error, log);
  return { status_code, body: JSON.stringify({ error: body.trim(), reason } satisfies Fault) };
}

/** The body of an error on its way to where its headers are made. */
export interface Fault {
  error: string;
  reason?: string | undefined;
}

function faultOf(error: unknown, log: Logger): TusError {
  if (error === ERRORS.ABORTED) return CUT_SHORT;
  if (error === ERRORS.INVALID_OFFSET) return OFFSET_MISMATCH;
  if (isTusError(error)) return error;
  const domain = asDomainError(error);
  if (domain.code === 'internal') log.error({ err: domain.cause }, 'An upload request failed');
  return tusError(domain.code === 'internal' ? 503 : httpStatusOf(domain.code), domain.message, domain.reason);
}

const isTusError = (error: unknown): error is TusError =>
  !(error instanceof DomainError) && typeof (error as { status_code?: unknown } | null)?.status_code === 'number';
