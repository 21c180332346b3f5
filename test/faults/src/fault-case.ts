import type { Random } from '@recording-request/stack/random';
import type { Harness, HarnessOptions } from './harness/harness.ts';

/** A fault, and the promise that the product must keep despite it. */
export interface FaultCase {
  /** The name for `--cases`, in kebab-case. */
  name: string;
  /** The product's promise as a sentence. */
  promise: string;
  /** True if `npm test` includes its short form. */
  bounded: boolean;
  /**
   * The case's share of the run's submissions, relative to the other cases; 1 by default. It is 0 for a case that
   * chooses its own number.
   */
  weight?: number;
  /** The time limit of the run and the check in milliseconds; twelve minutes by default. */
  limitMs?: number;
  /** The milliseconds for which the checker waits until the service is at rest; four minutes by default. */
  restMs?: number;
  /** The required options of its harness. */
  harness?: HarnessOptions;
  /**
   * Drives load and injects faults. Reports violations with `harness.violated`; a rejection also fails the case. Afterwards
   * the suite restores every proxy and process, and the checker decides.
   */
  run(harness: Harness, plan: CasePlan): Promise<void>;
}

export interface CasePlan {
  random: Random;
  /** The approximate number of takes to send. */
  submissions: number;
  /** True for the short form, with outages as short as possible. */
  short: boolean;
  signal: AbortSignal;
}
