/**
 * Runs tasks concurrently. If a task fails, aborts the others and rejects after all have ended, so that no task still
 * uses a folder that the caller removes. Promise.all neither aborts the other tasks nor waits for them.
 */
export async function allOrAbort<const T extends Array<(signal: AbortSignal) => Promise<unknown>>>(
  signal: AbortSignal,
  tasks: T,
): Promise<{ [K in keyof T]: Awaited<ReturnType<T[K]>> }> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  let first: { error: unknown } | undefined;
  const results = await Promise.all(
    tasks.map(task =>
      task(either).catch(error => {
        first ??= { error };
        failed.abort(error);
      }),
    ),
  );
  if (first) throw first.error;
  return results as { [K in keyof T]: Awaited<ReturnType<T[K]>> };
}
