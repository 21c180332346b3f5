import { AsyncLocalStorage } from 'node:async_hooks';

export interface CallScope {
  /** Fires when the caller has disconnected. */
  signal: AbortSignal;
  /** In milliseconds since 1970; Infinity for no deadline. */
  deadlineAt: number;
}

/** The deadline and cancellation of the RPC that is being served. They also apply to its gRPC calls and MongoDB commands. */
export const callScope = new AsyncLocalStorage<CallScope>();
