/**
 * Waits for what is being opened at the same time, and gives it to `stack`, which closes it with its method `close`, where it
 * has one. When one fails, rejects once all have ended, so that nothing is left open: with the failure that stands first, as
 * if they had been opened one after the other.
 */
export async function openTogether<const T extends ReadonlyArray<Promise<unknown>>>(
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
