/** Bytes of memory that may be in use at once for one purpose. It never waits: a caller that gets none refuses or does with less. */
export interface ByteBudget {
  /** Takes `bytes`. Returns false, and takes nothing, where fewer may be taken. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
  readonly free: number;
  readonly limit: number;
}

/** Bytes that several owners share by the rule of `fair-slots.ts`: with what it takes an owner may not hold more than was left before. */
export interface FairBudget {
  /** Returns the budget of one owner. */
  of(owner: string): ByteBudget;
  /** Bytes that nobody holds. */
  readonly free: number;
  readonly limit: number;
}

/** Returns a budget of `limit` bytes, all of them free. */
export function createFairBudget(limit: number): FairBudget {
  const held = new Map<string, number>();
  let free = limit;
  return {
    of: owner => ({
      limit,
      take(bytes) {
        const own = (held.get(owner) ?? 0) + bytes;
        if (own > free) return false;
        free -= bytes;
        held.set(owner, own);
        return true;
      },
      giveBack(bytes) {
        const own = (held.get(owner) ?? 0) - bytes;
        free += bytes;
        if (own > 0) held.set(owner, own);
        else held.delete(owner);
      },
      get free() {
        return free;
      },
    }),
    limit,
    get free() {
      return free;
    },
  };
}
