import { LRUCache } from 'lru-cache';

interface Flight<T> {
  startedAt: number;
  answer: Promise<T>;
}

/**
 * Look-ups that are remembered for a short time. Calls for the same key at once share one flight; failures are not
 * remembered; the least recently used entry goes when there are too many.
 */
// It keeps promises instead of using lru-cache's `fetch`, which counts the time from the answer rather than from the
// question, and fails everyone who waits for an entry that others push out.
export class FlightCache<T> {
  readonly #flights: LRUCache<string, Flight<T>> | undefined;
  readonly #now: () => number;

  /** `ttlMs` is counted from the start of the look-up; Infinity remembers for good, 0 nothing. `now` returns milliseconds from any moment on. */
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

  /** Returns what is remembered, or what `load` finds. A look-up that began before `since`, by the clock of `now`, is not believed. */
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
