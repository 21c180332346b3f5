/**
 * `begin`, `reclaim`: take a use, if one is free. `release`: give it back. `land`: make a claimed use final. `count`: count
 * another clip of a response that has already landed.
 */
export type TransferKind = 'begin' | 'reclaim' | 'release' | 'land' | 'count';

/** An id that the store makes and compares. */
export interface TransferId {
  toHexString(): string;
}

/**
 * A change of a link's counters. The response records it before the link changes, so that after a crash any process can
 * finish it exactly once.
 */
export interface Transfer {
  id: TransferId;
  /** Changes at a take-over: only the current holder may apply it, drop it, or undo it. */
  holder: TransferId;
  kind: TransferKind;
  /** True if the landing clip completes its response. */
  completes?: boolean;
  at: Date;
  /**
   * No other replica takes it over before this time; its holder must not apply it after. Compared only with the database's
   * clock.
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

/** Returns the sum that these transfers add to the link's counters. */
export function sumOfChanges(kinds: TransferKind[]): CounterChange {
  const sum = { claimed: 0, landed: 0, submissionCount: 0 };
  for (const kind of kinds) {
    sum.claimed += CHANGES[kind].claimed;
    sum.landed += CHANGES[kind].landed;
    sum.submissionCount += CHANGES[kind].submissionCount;
  }
  return sum;
}

/** Returns whether the link may refuse it: only if it takes a new use. */
export function takesUse(kind: TransferKind): boolean {
  return CHANGES[kind].claimed + CHANGES[kind].landed > 0;
}

/** Returns whether a clip lands with this transfer. */
export function landsClip(kind: TransferKind): boolean {
  return CHANGES[kind].submissionCount > 0;
}
