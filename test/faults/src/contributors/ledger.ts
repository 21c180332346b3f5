import type { Take } from './takes.ts';

/**
 * `ok`: the service confirmed the whole take (it landed, or is landing without the client). `failed`: the service refused
 * it. `unknown`: the client left, or timed out, before it got either answer.
 */
export type Outcome = (typeof OUTCOMES)[number];
export const OUTCOMES = ['ok', 'failed', 'unknown'] as const;

/** One take that a client tried to hand in. */
export interface Entry {
  take: Take;
  projectId: string;
  /** The recording link's address. */
  link: string;
  responseSessionId: string;
  questionIndex: number;
  outcome: Outcome;
  /** Set when the service returned it. */
  submissionId: string | undefined;
  /** What ended it, unless it is ok. */
  why: string;
  /** Whether the operator erased it after it had landed. */
  erased?: boolean;
}

/** What the clients know; the checker compares it with what the service has. */
export interface Ledger {
  readonly entries: Entry[];
  /** Broken promises that a client saw while it was sending. */
  readonly violations: string[];
  count(outcome: Outcome): number;
}

export function createLedger(): Ledger {
  const entries: Entry[] = [];
  return { entries, violations: [], count: outcome => entries.filter(entry => entry.outcome === outcome).length };
}
