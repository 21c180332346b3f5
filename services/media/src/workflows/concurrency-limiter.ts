/** Lets a number of callers in at once; the others wait in order. */
export interface Turns {
  /** Resolves when it is the caller's turn, which ends when the answer is disposed. Rejects when the signal fires first. */
  take(signal: AbortSignal): Promise<Disposable>;
}

export function createTurns(atOnce: number): Turns {
  let free = atOnce;
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
    async take(signal) {
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
