/** A page from a service, and whether it is the last one to read. */
export type Page<T> = T & { isLast: boolean };

/**
 * Continues from `first` until it has `wanted` rows or the list ends: a service returns fewer rows than requested when they are
 * large.
 */
export async function* pagesUpTo<T extends { nextCursor: string }>(
  wanted: number,
  first: T,
  rowsOf: (page: T) => readonly unknown[],
  load: (cursor: string, pageSize: number) => Promise<T>,
): AsyncGenerator<Page<T>> {
  let left = wanted;
  for (let page = first; ; page = await load(page.nextCursor, left)) {
    left -= rowsOf(page).length;
    const isLast = left <= 0 || page.nextCursor === '';
    yield { ...page, isLast };
    if (isLast) return;
  }
}

/**
 * Yields the pages of a service's list. Requests the next page only after the reader took the current one, so only one
 * page is in memory.
 */
export async function* pagesOf<T extends { nextCursor?: string | undefined }>(
  load: (cursor: string | undefined) => Promise<T>,
  cursor?: string,
): AsyncGenerator<Page<T>> {
  do {
    const page = await load(cursor);
    cursor = page.nextCursor || undefined;
    yield { ...page, isLast: cursor === undefined };
  } while (cursor !== undefined);
}

/** Yields one page, marked as the last one of this HTTP response. */
export async function* onePage<T>(page: Promise<T>): AsyncGenerator<Page<T>> {
  yield { ...(await page), isLast: true };
}
