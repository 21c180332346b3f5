/** A page as a service answers it, and whether it is the last one that is wanted. */
export type Page<T> = T & { isLast: boolean };

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
