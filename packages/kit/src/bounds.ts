/** A wait exceeded its limit. */
export class OutOfTimeError extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Waits for `work`. Rejects after `ms` with an OutOfTimeError that names `what`, or with the signal's reason. Does not stop the work. */
export async function bounded<T>(work: Promise<T>, ms: number, what: string, signal?: AbortSignal): Promise<T> {
  signal?.throwIfAborted();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new OutOfTimeError(`${what} took longer than ${ms} ms`)), ms);
  const stop = () => reject(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/**
 * Returns the wait before attempt number `attempt` (from 0). The wait doubles from `baseMs` up to `maxMs`, and half of
 * it is random.
 */
export function backoffMs(attempt: number, baseMs: number, maxMs: number): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 20));
  return full / 2 + Math.random() * (full / 2);
}
