/** How far a group is in one partition. */
export interface Position {
  partition: number;
  /** The offset that the next record published gets. */
  end: bigint;
  /** The offset of the first record that the group has not handled. */
  at: bigint;
}

interface Seen {
  atMs: number;
  end: bigint;
}

// At four readings a minute an hour; of what is older every second reading is kept, then every fourth …
const SEEN_MAX = 240;

/**
 * Tells how long the oldest record that a group has not handled has been there, from readings of its positions: a broker tells no
 * record's time without reading it. A record was there when the end was first seen beyond it, so that the age is short by less
 * than the time between two readings, and counts from the first reading.
 */
export function createWaitingAges(): { ageMs(name: string, positions: readonly Position[], nowMs: number): number } {
  const byPartition = new Map<string, Seen[]>();
  return {
    ageMs(name, positions, nowMs) {
      let oldest = 0;
      for (const { partition, end, at } of positions) {
        const key = `${name} ${partition}`;
        const seen = (byPartition.get(key) ?? []).filter(each => each.end > at);
        if (end > at && seen.at(-1)?.end !== end) seen.push({ atMs: nowMs, end });
        byPartition.set(key, seen.length > SEEN_MAX ? seen.filter((_, index) => index % 2 === 0) : seen);
        const [first] = seen;
        if (first) oldest = Math.max(oldest, nowMs - first.atMs);
      }
      return oldest;
    },
  };
}
