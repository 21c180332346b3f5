import type { Take } from './takes.ts';

/**
 * `ok`: the service confirmed the whole take (it has landed, or lands without the client). `failed`: the service
 * refused the take. `unknown`: the client disconnected or timed out before either response.
 */
export type Outcome = (typeof OUTCOMES)[number];
export const OUTCOMES = ['ok', 'failed', 'unknown'] as const;

/** One take that a client tried to send. */
export interface Entry {
  take: Take;
  projectId: string;
  /** The recording link's URL. */
  link: string;
  responseSessionId: string;
  questionIndex: number;
  outcome: Outcome;
  /** The id from the service, if it returned one. */
  submissionId: string | undefined;
  /** The reason of an outcome other than ok. */
  why: string;
  /** True if the operator erased the clip after it had landed. */
  erased?: boolean;
}

/** The clients' knowledge. The checker compares it with the data of the service. */
export interface Ledger {
  readonly entries: Entry[];
  /** Broken promises that clients saw. */
  readonly violations: string[];
  count(outcome: Outcome): number;
}

export function createLedger(): Ledger {
  const entries: Entry[] = [];
  return { entries, violations: [], count: outcome => entries.filter(entry => entry.outcome === outcome).length };
}
