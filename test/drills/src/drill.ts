import type { Expectation } from './alert.ts';
import type { Step } from './step-query.ts';
import type { System } from './system/system.ts';

/**
 * Causes the fault, which lasts until `repair` is disposed of. If this machine does not permit the fault, returns a
 * sentence instead.
 */
type Begin = (system: System, repair: AsyncDisposableStack) => Promise<string | undefined> | Promise<void>;

/** A fault, and the alert that it must fire. */
export interface Drill {
  /** The name for `--only`: kebab-case. */
  name: string;
  /** The information that an operator gets, as a sentence. */
  promise: string;
  expects: Expectation;
  begin: Begin;
}

/** A slow step, which the runbook's query must name. */
export interface Delay {
  /** The name for `--only`. */
  name: `delay-${Step}`;
  step: Step;
  /** The slow operation, and its delay. */
  what: string;
  begin: Begin;
}
