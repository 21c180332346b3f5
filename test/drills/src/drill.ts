import type { Expectation } from './alert.ts';
import type { Step } from './step-query.ts';
import type { System } from './system/system.ts';

/** What is broken until `mended` is disposed of. Returns a sentence where this machine does not permit it, having broken nothing. */
type Begin = (system: System, mended: AsyncDisposableStack) => Promise<string | undefined> | Promise<void>;

/** One fault, and the alert that it must fire. */
export interface Drill {
  /** As `--only` takes it: kebab-case. */
  name: string;
  /** What an operator learns, in one sentence. */
  promise: string;
  expects: Expectation;
  begin: Begin;
}

/** One step that takes longer, which the runbook's query must name. */
export interface Delay {
  /** As `--only` takes it. */
  name: `delay-${Step}`;
  step: Step;
  /** What is slow, and by how much. */
  what: string;
  begin: Begin;
}
