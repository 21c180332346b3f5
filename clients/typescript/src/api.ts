import { Download } from './download.ts';
import { List, type PagedBody } from './pages.ts';
import type { Call, CallOptions, Transport } from './transport.ts';

/** The number of items on a page, unless a query has another limit. */
export const PAGE = 100;

/**
 * Sends the requests of a group of methods: with the owner's token, or without it if the address itself gives the
 * permission.
 */
export class Api {
  readonly transport: Transport;
  readonly #anonymous: boolean;

  constructor(transport: Transport, options: { anonymous?: boolean } = {}) {
    this.transport = transport;
    this.#anonymous = options.anonymous ?? false;
  }

  json<T>(call: Call, options?: CallOptions): Promise<T> {
    return this.transport.json({ ...call, anonymous: this.#anonymous }, options);
  }

  get<T>(path: string, options?: CallOptions, query?: object): Promise<T> {
    return this.json({ path, query }, options);
  }

  post<T>(path: string, json: unknown, options?: CallOptions): Promise<T> {
    return this.json({ method: 'POST', path, json }, options);
  }

  patch<T>(path: string, json: unknown, options?: CallOptions): Promise<T> {
    return this.json({ method: 'PATCH', path, json }, options);
  }

  put<T>(path: string, json: unknown, options?: CallOptions): Promise<T> {
    return this.json({ method: 'PUT', path, json }, options);
  }

  delete<T>(path: string, options?: CallOptions): Promise<T> {
    return this.json({ method: 'DELETE', path }, options);
  }

  file(path: string, options?: CallOptions, query?: object): Download {
    return new Download(this.transport, { path, query, anonymous: this.#anonymous }, options);
  }

  list<Item, Body extends PagedBody>(
    path: string,
    query: { cursor?: string },
    itemsOf: (body: Body) => Item[],
    options?: CallOptions,
  ): List<Item, Body> {
    return new List(cursor => this.get<Body>(path, options, { ...query, cursor }), itemsOf, query.cursor);
  }
}

/** The base of a group of methods. */
export abstract class Resource {
  /** @internal */
  protected readonly api: Api;

  /** @internal */
  constructor(api: Api) {
    this.api = api;
  }
}
