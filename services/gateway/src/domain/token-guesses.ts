/**
 * Bounds the cost of invented tokens. While an address is over its rate limit for wrong tokens, the gateway looks up
 * only tokens from that address that were valid before, so that their owners can continue.
 */
export class TokenGuesses {
  readonly #over = new Map<string, number>();
  readonly #proven = new Set<string>();
  readonly #maxEntries: number;
  readonly #now: () => number;

  constructor(options: { maxEntries: number; now?: () => number }) {
    this.#maxEntries = options.maxEntries;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Returns the seconds until the gateway may look up a token from this address; 0 if it may do so now. `key` identifies
   * the token.
   */
  waitSeconds(address: string, key: string): number {
    const until = this.#over.get(address);
    if (until === undefined || this.#proven.has(key)) return 0;
    if (until > this.#now()) return Math.ceil((until - this.#now()) / 1000);
    this.#over.delete(address);
    return 0;
  }

  overLimit(address: string, seconds: number): void {
    this.#over.delete(address);
    this.#over.set(address, this.#now() + seconds * 1000);
    trim(this.#over, this.#maxEntries);
  }

  opened(key: string): void {
    this.#proven.delete(key);
    this.#proven.add(key);
    trim(this.#proven, this.#maxEntries);
  }

  openedNothing(key: string): void {
    this.#proven.delete(key);
  }
}

/** Deletes the oldest entry when there are more than `max`. */
function trim(entries: Map<string, unknown> | Set<string>, max: number): void {
  const oldest = entries.size > max ? entries.keys().next() : undefined;
  if (oldest && !oldest.done) entries.delete(oldest.value);
}
