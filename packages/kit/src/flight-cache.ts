import { LRUCache } from 'lru-cache';

interface Flight<T> {
  startedAt: number;
  answer: Promise<T>;
}

/**
 * Caches look-ups for a short time. Concurrent calls for one key share one look-up. Failures are not cached. A full cache removes
 * the least recently used entry.
 */
// Stores promises. lru-cache's `fetch` would count the age from the result instead of the request, and would reject the
// callers of an entry that is evicted during the look-up.
export class FlightCache<T> {
  readonly #flights: LRUCache<string, Flight<T>> | undefined;
  readonly #now: () => number;

  /** `ttlMs` counts from the start of the look-up; Infinity never expires, 0 caches nothing. `now` returns milliseconds. */
  constructor({
    ttlMs,
    maxEntries,
    now = () => performance.now(),
  }: { ttlMs: number; maxEntries: number; now?: () => number }) {
    this.#now = now;
    if (ttlMs === 0) return;
    const ttl = Number.isFinite(ttlMs) ? { ttl: ttlMs, ttlResolution: 0 } : {};
    this.#flights = new LRUCache({ max: maxEntries, ...ttl, perf: { now } });
  }

  get size(): number {
    return this.#flights?.size ?? 0;
  }

  /** Returns the cached value, or loads it. Ignores a cached value whose look-up began before `since` (by `now`). */
  get(key: string, load: () => Promise<T>, since = Number.NEGATIVE_INFINITY): Promise<T> {
    const flights = this.#flights;
    const found = flights?.get(key);
    if (found && found.startedAt >= since) return found.answer;
    const flight = { startedAt: this.#now(), answer: load() };
    flights?.set(key, flight);
    flight.answer.catch(() => this.#forget(key, flight));
    return flight.answer;
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#flights?.peek(key, { allowStale: true }) === flight) this.#flights.delete(key);
  }
}
