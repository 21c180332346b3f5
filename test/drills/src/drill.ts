import type { Expectation } from './alert.ts';
import type { Sign } from './judge.ts';
import type { RunbookQuery } from './runbook-query.ts';
import type { Step } from './step-query.ts';
import type { System } from './system/system.ts';

/**
 * Causes the fault, which lasts until `repair` is disposed of. If this machine does not permit the fault, returns a
 * sentence instead.
 */
type Begin = (system: System, repair: AsyncDisposableStack) => Promise<string | undefined> | Promise<void>;

/** A runbook's query that names the broken part while the fault lasts. */
export interface Naming extends RunbookQuery {
  label: string;
  /** The value of the label for the broken part. */
  value: string | ((system: System) => string);
  /** The series that names the part. `absent`: no series has the value, but other series exist. */
  by: Sign;
}

/** A fault, and the alert that it must fire. */
export interface Drill {
  /** The name for `--only`: kebab-case. */
  name: string;
  /** The information that an operator gets, as a sentence. */
  promise: string;
  expects: Expectation;
  /** Returns the labels of the alert that are known only when the system runs. */
  labels?: (system: System) => Record<string, RegExp>;
  names?: Naming;
  /**
   * The minimum duration of the fault; the factor does not divide it. By default, the fault ends soon after its alert.
   */
  lastsMs?: number;
  begin: Begin;
  /**
   * Waits until the system has done the work that the fault delayed. Rejects if this does not happen in time. `began`
   * is the start of the fault, by Date.now().
   */
  recovers?: (system: System, options: { began: number; signal: AbortSignal }) => Promise<void>;
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
