/**
 * Limits concurrent callers; the others wait in order. Not p-limit, which would keep a caller in the queue after its signal has
 * fired.
 */
export interface Slots {
  /** Waits for a slot; disposing releases it. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<Disposable>;
  /** Undefined if no slot is free. */
  tryAcquire(): Disposable | undefined;
  used(): number;
}

/** Returns `count` slots. */
export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  const release = () => {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  };
  const slot = (): Disposable => {
    let held = true;
    return {
      [Symbol.dispose]() {
        if (held) release();
        held = false;
      },
    };
  };
  const tryAcquire = () => {
    if (free === 0) return undefined;
    free -= 1;
    return slot();
  };
  return {
    tryAcquire,
    used: () => count - free,
    async acquire(signal) {
      signal.throwIfAborted();
      const got = tryAcquire();
      if (got) return got;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = () => {
        waiting.delete(enter);
        reject(signal.reason);
      };
      const enter = () => {
        waiting.delete(enter);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      waiting.add(enter);
      signal.addEventListener('abort', leave, { once: true });
      await promise;
      return slot();
    },
  };
}
