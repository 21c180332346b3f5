import { asDomainError, DomainError, httpStatusOf } from '@recording-request/kit/errors';
import type { Logger } from '@recording-request/kit/log';

/** The shape in which the protocol's handlers expect errors: they read status_code. */
export interface TusError {
  status_code: number;
  body: string;
}

/** The client retries after 423, and 409 would make it look for another offset. */
export const LOCKED: TusError = {
  status_code: 423,
  body: 'Another request is writing to this upload; try again in a moment.',
};

export const tusError = (status: number, message: string): TusError => ({ status_code: status, body: message });

/** Rethrows an error of ours in the shape that the protocol's handlers understand. */
export function rethrowAsTusError(error: unknown): never {
  if (error instanceof DomainError && error.code !== 'internal')
    throw tusError(httpStatusOf(error.code), error.message);
  throw error;
}

/** The answer for an error, of the protocol's own code or of ours; what is inner goes to the log alone. */
export function answerToError(error: unknown, log: Logger): TusError {
  if (isTusError(error)) return { status_code: error.status_code, body: error.body };
  const domain = asDomainError(error);
  if (domain.code === 'internal') log.error({ err: domain.cause }, 'An upload request failed');
  return tusError(domain.code === 'internal' ? 503 : httpStatusOf(domain.code), domain.message);
}

const isTusError = (error: unknown): error is TusError =>
  !(error instanceof DomainError) && typeof (error as { status_code?: unknown } | null)?.status_code === 'number';
