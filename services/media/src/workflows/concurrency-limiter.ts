/** Admits a number of callers at once; the others wait in order. */
export interface ConcurrencyLimiter {
  /** Resolves once the caller is admitted; disposing the result admits the next one. Rejects when the signal fires first. */
  acquire(signal: AbortSignal): Promise<Disposable>;
}

/** Not p-limit: with that, a caller whose signal fires would wait on in the queue until its turn. */
export function createConcurrencyLimiter(concurrency: number): ConcurrencyLimiter {
  let free = concurrency;
  const waiting = new Set<() => void>();
  const release = () => {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  return {
    async acquire(signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else await queued(waiting, signal);
      return { [Symbol.dispose]: release };
    },
  };
}

function queued(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => {
    waiting.delete(enter);
    reject(signal.reason);
  };
  const enter = () => {
    signal.removeEventListener('abort', leave);
    resolve();
  };
  waiting.add(enter);
  signal.addEventListener('abort', leave, { once: true });
  return promise;
}
