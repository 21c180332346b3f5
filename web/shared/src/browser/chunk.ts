/**
 * Returns a function that loads a chunk of the script once, by `load`: `() => import('./chunks/x.ts')`. Fails if the
 * chunk cannot be loaded: offline, or after an update of the server, which has only the chunks of its own version. The
 * next call then loads it again.
 */
export function chunkOf<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
