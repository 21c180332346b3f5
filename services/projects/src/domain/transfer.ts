/**
 * `begin`, `reclaim`: take a use, if one is free. `release`: give it back. `land`: a claimed use becomes final.
 * `count`: one more clip of a response that has landed already.
 */
export type TransferKind = 'begin' | 'reclaim' | 'release' | 'land' | 'count';

/** Made and compared by the store. */
export interface TransferId {
  toHexString(): string;
}

/**
 * A change of a link's counters, written into the response before the link is touched, so that anyone who finds it
 * after a crash can finish it, exactly once. `intended`: may or may not be in the link. `applied`: it is; only the traces
 * are left to clear.
 */
export interface Transfer {
  id: TransferId;
  /** Changes at a take-over: only the present holder applies it, marks it applied, or undoes it. */
  holder: TransferId;
  kind: TransferKind;
  /** The clip that lands with it completes its response. */
  completes?: boolean;
  state: 'intended' | 'applied';
  at: Date;
  /** Until then no other replica takes it over; later its holder may not apply it. Compared with the database's clock alone. */
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

/** Whether the link may refuse it: only what takes a new use. */
export function takesUse(kind: TransferKind): boolean {
  return CHANGES[kind].claimed + CHANGES[kind].landed > 0;
}

/** Whether a clip lands with it. */
export function landsClip(kind: TransferKind): boolean {
  return CHANGES[kind].submissionCount > 0;
}
