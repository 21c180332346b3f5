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

// An age may be wrong by this share of itself. So a reading that follows the previous one within this share of the age
// is dropped, and a day needs only a few hundred readings.
const SHARE = 1 / 100;

/**
 * Estimates the age of the oldest record that a group has not handled. It uses readings of the group's positions,
 * because a broker reports a record's time only with the record itself. A record's age counts from the first reading
 * whose end is after the record, so the age is too short by less than the time between two readings.
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
