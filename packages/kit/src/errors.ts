import { status } from '@grpc/grpc-js';
import { isOutage } from './outage.ts';

/** The codes of errors, the same in every layer. */
export type ErrorCode = keyof typeof TABLE;

// The table from our codes to gRPC (https://grpc.io/docs/guides/status-codes/) and HTTP (RFC 9110).
const TABLE = {
  invalid: { grpc: status.INVALID_ARGUMENT, http: 400 },
  unauthenticated: { grpc: status.UNAUTHENTICATED, http: 401 },
  forbidden: { grpc: status.PERMISSION_DENIED, http: 403 },
  not_found: { grpc: status.NOT_FOUND, http: 404 },
  conflict: { grpc: status.ABORTED, http: 409 },
  gone: { grpc: status.FAILED_PRECONDITION, http: 410 },
  too_large: { grpc: status.OUT_OF_RANGE, http: 413 },
  unprocessable: { grpc: status.ALREADY_EXISTS, http: 422 },
  too_many: { grpc: status.RESOURCE_EXHAUSTED, http: 429 },
  unavailable: { grpc: status.UNAVAILABLE, http: 503 },
  timeout: { grpc: status.DEADLINE_EXCEEDED, http: 503 },
  cancelled: { grpc: status.CANCELLED, http: 499 },
  internal: { grpc: status.INTERNAL, http: 500 },
} as const satisfies Record<string, { grpc: status; http: number }>;

/** An error with a sentence for the caller (`message`) and a separate cause for the log. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  /** The seconds to wait before a retry, if known. */
  readonly retryAfterSec: number | undefined;
  /** A stable word for programs, more specific than the code. */
  readonly reason: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options?: { cause?: unknown; retryAfterSec?: number | undefined; reason?: string | undefined },
  ) {
    super(message, options);
    this.name = 'DomainError';
    this.code = code;
    this.retryAfterSec = options?.retryAfterSec;
    this.reason = options?.reason;
  }
}

export const grpcStatusOf = (code: ErrorCode): status => TABLE[code].grpc;
export const httpStatusOf = (code: ErrorCode): number => TABLE[code].http;
export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(TABLE, text);

/**
 * Returns our code for a gRPC status that another program sent, for example a proxy, or that reports a lost connection.
 */
export function codeOfGrpcStatus(grpc: status): ErrorCode {
  for (const [code, row] of Object.entries(TABLE)) if (row.grpc === grpc) return code as ErrorCode;
  return 'internal';
}

/**
 * Returns a DomainError unchanged. Returns `unavailable` for an outage of a backing service, and `internal` for
 * anything else, with a fixed sentence that reveals no internals.
 */
export function asDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isOutage(error))
    return new DomainError('unavailable', 'A part of the service is not answering; try again in a moment.', {
      cause: error,
    });
  return new DomainError('internal', 'Something went wrong on our side; try again later.', { cause: error });
}
