/** The position of a group in one partition. */
export interface Position {
  partition: number;
  /** The offset of the next published record. */
  end: bigint;
  /** The offset of the first record that the group has not handled. */
  at: bigint;
}

interface Seen {
  atMs: number;
  end: bigint;
}

// The share by which an age may be too short. Readings that are closer together are dropped, so a day needs only a
// few hundred.
const SHARE = 1 / 100;

/**
 * Estimates the age of the oldest record that a group has not handled, from readings of the group's positions: a broker reports no
 * record's time without reading the record. A record's age counts from the first reading whose end is beyond it, so it is too short
 * by less than the time between two readings.
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
