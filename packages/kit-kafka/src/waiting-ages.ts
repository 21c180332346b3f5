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

// Of an age, how much it may be short by: readings that follow each other more closely are not kept, so that a day needs some hundred.
const SHARE = 1 / 100;

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
        const [first = { atMs: nowMs, end }] = seen;
        const last = seen.at(-1);
        const isNews = !last || (last.end !== end && nowMs - last.atMs >= (nowMs - first.atMs) * SHARE);
        if (end > at && isNews) seen.push({ atMs: nowMs, end });
        byPartition.set(key, seen);
        if (end > at) oldest = Math.max(oldest, nowMs - first.atMs);
      }
      return oldest;
    },
  };
}
