/**
 * Bounds what made-up tokens cost: an address whose wrong tokens are over its rate limit has no token looked up until
 * that begins anew, but for those that opened something before: its owners go on.
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

  /** Seconds until a token of this address may be looked up; 0: now. `key` stands for the token. */
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

/** The oldest go. */
function trim(entries: Map<string, unknown> | Set<string>, max: number): void {
  const oldest = entries.size > max ? entries.keys().next() : undefined;
  if (oldest && !oldest.done) entries.delete(oldest.value);
}
