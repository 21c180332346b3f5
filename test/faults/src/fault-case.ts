import type { Bench, Stage } from './harness/harness.ts';
import type { Random } from './random.ts';

/** One way in which things break, and the promise that holds all the same. */
export interface FaultCase {
  /** As `--cases` takes it: kebab-case. */
  name: string;
  /** What the product promises, in its own words. */
  promise: string;
  /** Whether a short form of it is part of `npm test`. */
  bounded: boolean;
  /** Its share of the run's submissions, beside the others'; 1 by default. 0 for a case that decides itself how many. */
  weight?: number;
  /** What its bench is made of. */
  stage?: Stage;
  /**
   * Drives load and breaks things. What it sees broken it tells by `bench.violated`; a rejection fails the case too.
   * Afterwards every wire passes again, every process is started, and the checker decides.
   */
  run(bench: Bench, plan: CasePlan): Promise<void>;
}

export interface CasePlan {
  random: Random;
  /** About how many takes to hand in. */
  submissions: number;
  /** Whether this is the short form: outages are then as short as they can be. */
  short: boolean;
  signal: AbortSignal;
}
