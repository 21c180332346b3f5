import { AsyncLocalStorage } from 'node:async_hooks';

export interface CallScope {
  /** Fires when the caller has disconnected. */
  signal: AbortSignal;
  /** The deadline in milliseconds since 1970; Infinity for no deadline. */
  deadlineAt: number;
}

/**
 * The deadline and cancellation of the current RPC. They also apply to the gRPC calls and MongoDB commands of its
 * handler.
 */
export const callScope = new AsyncLocalStorage<CallScope>();
