import type { ProgramModule } from '@recording-request/k8s/lab/module-programs';
import type { Random } from '@recording-request/stack/random';
import type { ClusterHarness } from './harness.ts';
import type { ServersKind } from './servers/beside.ts';

/** Returns whether `--only` selects a case by the beginning of its name; an empty list selects all. */
export const isAsked = ({ name }: Pick<ClusterCase, 'name'>, only: string[]): boolean =>
  only.length === 0 || only.some(start => name.startsWith(start));

/** The servers on which a case runs. */
export const serversOf = ({ servers = 'one' }: ClusterCase): ServersKind => servers;

/** A disturbance of an installation, and the promises that the product must keep despite it. */
export interface ClusterCase {
  /** The name for `--only`: kebab-case. */
  name: string;
  /** The condition for success, in terms of the product. */
  promise: string;
  /** The kind of servers; one of each by default. */
  servers?: ServersKind;
  /** A program that only this case needs; it runs beside the cluster. */
  needs?: ProgramModule;
  /** The time after which the case's clients stop; twenty minutes by default. */
  limitMs?: number;
  /** Runs the case. Reports broken promises with `violated`; a rejection also fails the case. Afterwards the checker decides. */
  run(harness: ClusterHarness, plan: { random: Random; clips: number }): Promise<void>;
}
