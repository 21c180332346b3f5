const BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;
/** `setTimeout` fires at once after a longer time. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Returns the wait after a failed attempt, from 0, in milliseconds: growing, and different for each client. */
export const backoffOf = (attempt: number): number =>
  Math.min(LONGEST_BACKOFF_MS, BACKOFF_MS * 2 ** attempt) * (0.5 + Math.random() / 2);

/**
 * Calls `run` after `ms`, which may be longer than the 24 days of one timer; never after Infinity. Returns a function
 * that cancels the call.
 */
export function later(ms: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const begin = (leftMs: number) => {
    const partMs = Math.min(leftMs, LONGEST_TIMER_MS);
    timer = setTimeout(() => (leftMs > partMs ? begin(leftMs - partMs) : run()), partMs);
  };
  begin(ms);
  return () => clearTimeout(timer);
}

/** Waits, unless the signal aborts: then throws its reason. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const done = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const cancel = later(ms, done);
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/**
 * Returns the value of `result`. Throws the error of `late` after `ms`, or the signal's reason if the signal aborts
 * first.
 */
export async function within<T>(
  result: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
  late: () => Error,
): Promise<T> {
  const end = new AbortController();
  const limit = wait(ms, end.signal).then(() => Promise.reject(late()));
  const aborted = new Promise<never>((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true, signal: end.signal });
  });
  try {
    return await Promise.race([result, limit, aborted]);
  } finally {
    limit.catch(() => {});
    aborted.catch(() => {});
    result.catch(() => {});
    end.abort();
  }
}
