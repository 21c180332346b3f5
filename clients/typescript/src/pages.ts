import type { CallOptions, Transport } from './transport.ts';

/** One page of a list, and the way to the next one. */
export interface Page<Item, Body> {
  items: Item[];
  /** The answer of the API. */
  body: Body;
  /** Send it as `cursor` to continue later; undefined on the last page. */
  nextCursor: string | undefined;
}

/**
 * A list. `for await (const item of list)` reads all pages, one at a time; `pages()` returns them whole; `first()` reads
 * one page; `all(limit)` collects at most `limit` items.
 */
export class List<Item, Body extends { pagination?: { nextCursor: string | null } }> implements AsyncIterable<Item> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #query: { cursor?: string };
  readonly #itemsOf: (body: Body) => Item[];
  readonly #options: CallOptions & { anonymous?: boolean };

  /** @internal */
  constructor(
    transport: Transport,
    path: string,
    query: { cursor?: string },
    itemsOf: (body: Body) => Item[],
    options: CallOptions & { anonymous?: boolean } = {},
  ) {
    this.#transport = transport;
    this.#path = path;
    this.#query = query;
    this.#itemsOf = itemsOf;
    this.#options = options;
  }

  /** Returns one page: that of `cursor`, otherwise the first one. */
  async first(): Promise<Page<Item, Body>> {
    return this.#page(this.#query.cursor);
  }

  /** Returns the pages in order. */
  async *pages(): AsyncGenerator<Page<Item, Body>, void, undefined> {
    let cursor = this.#query.cursor;
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
    const { anonymous, ...options } = this.#options;
    const call = { path: this.#path, query: { ...this.#query, cursor }, anonymous };
    const body = await this.#transport.json<Body>(call, options);
    return { items: this.#itemsOf(body), body, nextCursor: body.pagination?.nextCursor ?? undefined };
  }
}
