import { LRUCache } from 'lru-cache';

/**
 * Look-ups that are remembered for a short time. Calls for the same key at once share one flight; failures are not
 * remembered; the least recently used entry goes when there are too many.
 */
// It keeps promises instead of using lru-cache's `fetch`, which counts the time from the answer rather than from the
// question, and fails everyone who waits for an entry that others push out.
export class FlightCache<T> {
  readonly #flights: LRUCache<string, Promise<T>> | undefined;

  /** `ttlMs` is counted from the start of the look-up; Infinity remembers for good, 0 nothing. */
  constructor({ ttlMs, maxEntries, now }: { ttlMs: number; maxEntries: number; now?: () => number }) {
    if (ttlMs === 0) return;
    const clock = now ? { perf: { now } } : {};
    const ttl = Number.isFinite(ttlMs) ? { ttl: ttlMs, ttlResolution: 0 } : {};
    this.#flights = new LRUCache({ max: maxEntries, ...ttl, ...clock });
  }

  get size(): number {
    return this.#flights?.size ?? 0;
  }

  get(key: string, load: () => Promise<T>): Promise<T> {
    const flights = this.#flights;
    const found = flights?.get(key);
    if (found) return found;
    const flight = load();
    flights?.set(key, flight);
    flight.catch(() => {
      if (flights?.peek(key, { allowStale: true }) === flight) flights.delete(key);
    });
    return flight;
  }
}
