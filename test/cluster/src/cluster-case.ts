import type { Random } from '@recording-request/fault-test/random';
import type { ClusterHarness } from './harness.ts';

/** Whether `--only` asks for a case: a name's beginning is enough, and nothing asks for all. */
export const isAsked = ({ name }: Pick<ClusterCase, 'name'>, only: string[]): boolean =>
  only.length === 0 || only.some(start => name.startsWith(start));

/** One thing that happens to an installation, and what holds all the same. */
export interface ClusterCase {
  /** As `--only` takes it: kebab-case. */
  name: string;
  /** What passes, in the product's words. */
  promise: string;
  /** Reports what it sees broken with `violated`; a rejection fails the case too. Afterwards the checker decides. */
  run(harness: ClusterHarness, plan: { random: Random; clips: number }): Promise<void>;
}
