interface Entry<T> {
  value: Promise<T>;
  /** Counted from when the look-up began, so that nothing is believed for longer than the time given. */
  until: number;
}

/**
 * Look-ups that are remembered for a short time. Those that ask for the same key at once share one flight; failures are
 * not remembered; the oldest entry goes when there are too many.
 */
export class FlightCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #now: () => number;

  constructor(options: { ttlMs: number; maxEntries: number; now?: () => number }) {
    this.#ttlMs = options.ttlMs;
    this.#maxEntries = options.maxEntries;
    this.#now = options.now ?? (() => performance.now());
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string, load: () => Promise<T>): Promise<T> {
    const found = this.#entries.get(key);
    if (found && found.until > this.#now()) return found.value;
    const entry: Entry<T> = { value: load(), until: this.#now() + this.#ttlMs };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#maxEntries) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.value;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }
}
