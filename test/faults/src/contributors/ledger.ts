import type { Take } from './takes.ts';

/**
 * `ok`: the service said that it has the whole take (it landed, or its landing goes on without the client). `failed`: it
 * said no. `unknown`: the client went away, or ran out of patience, before it was told either.
 */
export type Outcome = (typeof OUTCOMES)[number];
export const OUTCOMES = ['ok', 'failed', 'unknown'] as const;

/** One take that somebody tried to hand in. */
export interface Entry {
  take: Take;
  projectId: string;
  /** The recording link's address. */
  link: string;
  responseSessionId: string;
  questionIndex: number;
  outcome: Outcome;
  /** Where the service told it. */
  submissionId: string | undefined;
  /** What ended it, unless it is ok. */
  why: string;
}

/** What the clients know: the checker holds it against what the service has. */
export interface Ledger {
  readonly entries: Entry[];
  /** Promises that a client saw broken while it sent. */
  readonly violations: string[];
  count(outcome: Outcome): number;
}

export function createLedger(): Ledger {
  const entries: Entry[] = [];
  return { entries, violations: [], count: outcome => entries.filter(entry => entry.outcome === outcome).length };
}
