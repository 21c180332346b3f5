/** A page as a service answers it, and whether it is the last one that is wanted. */
export type Page<T> = T & { isLast: boolean };

/**
 * Reads on from `first` until `wanted` rows are there or the list ends: where its rows are large, a service answers with
 * fewer than it was asked for.
 */
export async function* pagesUpTo<T extends { nextCursor: string }>(
  wanted: number,
  first: T,
  rowsOf: (page: T) => readonly unknown[],
  ask: (cursor: string, pageSize: number) => Promise<T>,
): AsyncGenerator<Page<T>> {
  let left = wanted;
  for (let page = first; ; page = await ask(page.nextCursor, left)) {
    left -= rowsOf(page).length;
    const isLast = left <= 0 || page.nextCursor === '';
    yield { ...page, isLast };
    if (isLast) return;
  }
}

/** Reads a list of a service. The next page is asked for when this one was taken: one is in memory. */
export async function* pagesOf<T extends { nextCursor?: string | undefined }>(
  ask: (cursor: string | undefined) => Promise<T>,
  cursor?: string,
): AsyncGenerator<Page<T>> {
  do {
    const page = await ask(cursor);
    cursor = page.nextCursor || undefined;
    yield { ...page, isLast: cursor === undefined };
  } while (cursor !== undefined);
}
