import type { Random } from '@recording-request/stack/random';
import type { Harness, HarnessOptions } from './harness/harness.ts';

/** One way in which things break, and the promise that holds all the same. */
export interface FaultCase {
  /** As `--cases` takes it: kebab-case. */
  name: string;
  /** What the product promises, in its own words. */
  promise: string;
  /** Whether its short form is part of `npm test`. */
  bounded: boolean;
  /** Its share of the run's submissions, relative to the others; 1 by default, 0 for a case that chooses its own number. */
  weight?: number;
  /** Milliseconds that its run and its check may take; twelve minutes by default. */
  limitMs?: number;
  /** Milliseconds that the checker waits for rest; four minutes by default. */
  restMs?: number;
  /** What it requires of its harness. */
  harness?: HarnessOptions;
  /**
   * Drives load and injects faults. Reports what it sees broken with `harness.violated`; a rejection fails the case too.
   * Afterwards every proxy passes again, every process is started, and the checker decides.
   */
  run(harness: Harness, plan: CasePlan): Promise<void>;
}

export interface CasePlan {
  random: Random;
  /** Roughly how many takes to hand in. */
  submissions: number;
  /** Whether this is the short form, with outages as short as possible. */
  short: boolean;
  signal: AbortSignal;
}
