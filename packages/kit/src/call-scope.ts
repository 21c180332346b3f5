import { AsyncLocalStorage } from 'node:async_hooks';

export interface CallScope {
  /** Fires when the caller went away. */
  signal: AbortSignal;
  /** In milliseconds since 1970; Infinity where there is none. */
  deadlineAt: number;
}

/** The deadline and the cancellation of the RPC that is being served; the clients of this kit pass it on, to MongoDB as well. */
export const callScope = new AsyncLocalStorage<CallScope>();
