/** How an endpoint did at its last attempt: answered soon, answered late, or failed. */
export type Health = 'well' | 'slow' | 'failed';

/** Bounds what is sent at once, so that one endpoint, dead or slow, does not take another's place. */
export interface Slots {
  /** Takes a slot for an attempt at `endpoint`; undefined when its share or the whole is in use. */
  take(endpoint: string): Slot | undefined;
  inUse(): number;
}

export interface Slot {
  /** Gives the slot back, once. Without a health nothing was learned about the endpoint. Tells who was refused since. */
  release(health?: Health): Refused;
}

/** Whom a slot was refused since the last release that told so: they wait for one. */
export interface Refused {
  /** The same endpoint. */
  same: boolean;
  /** Any other, for want of a slot that all share. */
  others: boolean;
}

export interface SlotLimits {
  /** Attempts at once in this process. */
  total: number;
  /** Attempts at once at one endpoint. */
  perEndpoint: number;
}

/**
 * An endpoint that failed gets one slot at a time. All endpoints that failed or were slow get at most half of the slots
 * together: the other half is always there for those that do well.
 */
export function createSlots({ total, perEndpoint }: SlotLimits): Slots {
  const running = new Map<string, number>();
  const unwell = new Map<string, Exclude<Health, 'well'>>();
  const unwellTotal = Math.max(1, Math.floor(total / 2));
  let used = 0;
  let usedByUnwell = 0;
  let othersRefused = false;
  const refused = new Set<string>();

  const shareIsFull = (endpoint: string, health: Health) =>
    (running.get(endpoint) ?? 0) >= (health === 'failed' ? 1 : perEndpoint);
  const allIsFull = (health: Health) => used >= total || (health !== 'well' && usedByUnwell >= unwellTotal);
  const count = (endpoint: string, health: Health, by: 1 | -1) => {
    used += by;
    if (health !== 'well') usedByUnwell += by;
    const own = (running.get(endpoint) ?? 0) + by;
    if (own > 0) running.set(endpoint, own);
    else running.delete(endpoint);
  };

  return {
    take(endpoint) {
      // Given back as what it was taken as, whatever is learned meanwhile.
      const before = unwell.get(endpoint) ?? 'well';
      if (shareIsFull(endpoint, before)) {
        refused.add(endpoint);
        return undefined;
      }
      if (allIsFull(before)) {
        othersRefused = true;
        return undefined;
      }
      count(endpoint, before, 1);
      return {
        release(health) {
          count(endpoint, before, -1);
          if (health === 'well') unwell.delete(endpoint);
          else if (health !== undefined) unwell.set(endpoint, health);
          const told = { same: refused.delete(endpoint), others: othersRefused };
          othersRefused = false;
          return told;
        },
      };
    },
    inUse: () => used,
  };
}
