/**
 * `begin`, `reclaim`: take a use, if one is free. `release`: return the use. `land`: make a claimed use final. `count`:
 * count another clip of a response that has already landed.
 */
export type TransferKind = 'begin' | 'reclaim' | 'release' | 'land' | 'count';

/** An id that only the store creates and compares. */
export interface TransferId {
  toHexString(): string;
}

/**
 * A change of a link's counters. The response records it before the link changes, so that after a crash any process can
 * finish it exactly once.
 */
export interface Transfer {
  id: TransferId;
  /** Changes when another holder takes over: only the current holder may apply, drop or undo the transfer. */
  holder: TransferId;
  kind: TransferKind;
  /** True if the landing clip completes its response. */
  completes?: boolean;
  at: Date;
  /**
   * Before this time, no other replica takes the transfer over; after it, the holder must not apply the transfer. This
   * is a time of the database's clock.
   */
  leaseUntil: Date;
}

export interface CounterChange {
  claimed: number;
  landed: number;
  submissionCount: number;
}

const CHANGES: Record<TransferKind, CounterChange> = {
  begin: { claimed: 1, landed: 0, submissionCount: 0 },
  reclaim: { claimed: 1, landed: 0, submissionCount: 0 },
  release: { claimed: -1, landed: 0, submissionCount: 0 },
  land: { claimed: -1, landed: 1, submissionCount: 1 },
  count: { claimed: 0, landed: 0, submissionCount: 1 },
};

/** Returns the sum of the changes that these transfers make to the link's counters. */
export function sumOfChanges(kinds: TransferKind[]): CounterChange {
  const sum = { claimed: 0, landed: 0, submissionCount: 0 };
  for (const kind of kinds) {
    sum.claimed += CHANGES[kind].claimed;
    sum.landed += CHANGES[kind].landed;
    sum.submissionCount += CHANGES[kind].submissionCount;
  }
  return sum;
}

/** Returns whether the link may refuse the transfer: only if the transfer takes a new use. */
export function takesUse(kind: TransferKind): boolean {
  return CHANGES[kind].claimed + CHANGES[kind].landed > 0;
}

/** Returns whether a clip lands with this transfer. */
export function landsClip(kind: TransferKind): boolean {
  return CHANGES[kind].submissionCount > 0;
}
