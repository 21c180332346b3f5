/**
 * Runs `work` for each item, at most `size` at a time. The first failure aborts the signal of the other items; the pool
 * waits for them, and then throws this failure.
 */
export async function pool<T>(
  items: AsyncIterable<T> | Iterable<T>,
  size: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
    stop.abort(error);
  };
  try {
    for await (const item of items) {
      if (both.aborted) break;
      const run = work(item, both)
        .catch(fail)
        .finally(() => running.delete(run));
      running.add(run);
      if (running.size >= size) await Promise.race(running);
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(running);
  signal.throwIfAborted();
  if (failure) throw failure.error;
}
