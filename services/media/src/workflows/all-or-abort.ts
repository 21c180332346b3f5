/**
 * Runs works at once. When one fails the signal of the others fires, and the answer, its failure, waits until all have
 * ended: nothing goes on in a folder that is about to be removed.
 */
export async function allOrAbort<const T extends Array<(signal: AbortSignal) => Promise<unknown>>>(
  signal: AbortSignal,
  works: T,
): Promise<{ [K in keyof T]: Awaited<ReturnType<T[K]>> }> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  let first: { error: unknown } | undefined;
  const results = await Promise.all(
    works.map(work =>
      work(either).catch(error => {
        first ??= { error };
        failed.abort(error);
      }),
    ),
  );
  if (first) throw first.error;
  return results as { [K in keyof T]: Awaited<ReturnType<T[K]>> };
}
