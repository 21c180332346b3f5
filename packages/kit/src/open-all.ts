/**
 * Waits for all of `opening`, and adds each result that has a method `close` to `stack`. If an opening fails, waits for
 * the others, so that nothing stays open, and rejects with the first failure in the order of `opening`.
 */
export async function openAll<const T extends ReadonlyArray<Promise<unknown>>>(
  stack: AsyncDisposableStack,
  opening: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const ended = await Promise.allSettled(opening);
  for (const each of ended)
    if (each.status === 'fulfilled' && canClose(each.value))
      stack.adopt(each.value, async opened => void (await opened.close()));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  return ended.map(each => (each as PromiseFulfilledResult<unknown>).value) as never;
}

const canClose = (opened: unknown): opened is { close(): unknown } =>
  typeof (opened as { close?: unknown } | null | undefined)?.close === 'function';
