import { UnexpectedAnswerError } from './errors.ts';

/** One page of a list, and the way to the next one. */
export interface Page<Item, Body> {
  items: Item[];
  /** The answer of the API. */
  body: Body;
  /** Send it as `cursor` to continue later; undefined on the last page. */
  nextCursor: string | undefined;
}

/** An answer that may be one page of several. */
export interface PagedBody {
  pagination?: { nextCursor: string | null };
}

/**
 * A list. `for await (const item of list)` reads all pages, one at a time; `pages()` returns them whole; `first()` reads
 * one page; `all(limit)` collects at most `limit` items. Each throws `UnexpectedAnswerError` for a page that leads to itself.
 */
export class List<Item, Body extends PagedBody> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Body>;
  readonly #itemsOf: (body: Body) => Item[];
  readonly #cursor: string | undefined;

  /** @internal */
  constructor(
    read: (cursor: string | undefined) => Promise<Body>,
    itemsOf: (body: Body) => Item[],
    cursor: string | undefined,
  ) {
    this.#read = read;
    this.#itemsOf = itemsOf;
    this.#cursor = cursor;
  }

  /** Returns the page at `cursor`; without a cursor, the first page. */
  async first(): Promise<Page<Item, Body>> {
    return this.#page(this.#cursor);
  }

  /** Returns the pages in order. */
  async *pages(): AsyncGenerator<Page<Item, Body>, void, undefined> {
    let cursor = this.#cursor;
    do {
      const page = await this.#page(cursor);
      yield page;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /** Iterates the items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Returns the first items of the list, at most `limit`. */
  async all(limit: number): Promise<Item[]> {
    const items: Item[] = [];
    if (limit < 1) return items;
    for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }

  async #page(cursor: string | undefined): Promise<Page<Item, Body>> {
    const body = await this.#read(cursor);
    const items = this.#itemsOf(body);
    const nextCursor = body.pagination?.nextCursor ?? undefined;
    if (!Array.isArray(items)) throw new UnexpectedAnswerError('A page of the list has no items.', 200);
    if (nextCursor === '' || (nextCursor !== undefined && nextCursor === cursor))
      throw new UnexpectedAnswerError('The list cannot continue: a page does not lead to another one.', 200);
    return { items, body, nextCursor };
  }
}
