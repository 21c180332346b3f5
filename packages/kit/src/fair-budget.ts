/**
 * A memory limit in bytes for one purpose. Callers do not wait: a caller that gets no memory refuses its work or uses
 * less.
 */
export interface ByteBudget {
  /** Takes `bytes`. Returns false and takes nothing if fewer are free. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
  readonly free: number;
  readonly limit: number;
}

/**
 * A budget that owners share by the rule of `fair-slots.ts`: an owner may take bytes only if it then holds at most as
 * many as were free before.
 */
export interface FairBudget {
  /** Returns the budget of one owner. */
  of(owner: string): ByteBudget;
  /** The free bytes. */
  readonly free: number;
  readonly limit: number;
}

/** Returns a budget of `limit` bytes. */
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
