const LONGEST_MS = 60_000;

/** Waits at most a minute. Rejects when the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    let timer: number | undefined;
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException('cancelled', 'AbortError'));
    };
    if (signal.aborted) return stop();
    timer = window.setTimeout(
      () => {
        signal.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, LONGEST_MS),
    );
    signal.addEventListener('abort', stop, { once: true });
  });
