import type { ProgramModule } from '@recording-request/k8s/lab/module-programs';
import type { Random } from '@recording-request/stack/random';
import type { ClusterHarness } from './harness.ts';
import type { ServersKind } from './servers/beside.ts';

/** Whether `--only` asks for a case: a name's beginning is enough, and nothing asks for all. */
export const isAsked = ({ name }: Pick<ClusterCase, 'name'>, only: string[]): boolean =>
  only.length === 0 || only.some(start => name.startsWith(start));

/** On which servers a case runs. */
export const serversOf = ({ servers = 'one' }: ClusterCase): ServersKind => servers;

/** One thing that happens to an installation, and what holds all the same. */
export interface ClusterCase {
  /** As `--only` takes it: kebab-case. */
  name: string;
  /** What passes, in the product's words. */
  promise: string;
  /** One of each by default. */
  servers?: ServersKind;
  /** What is built for it alone, and runs beside the cluster meanwhile. */
  needs?: ProgramModule;
  /** After which its clients give up, twenty minutes by default. */
  limitMs?: number;
  /** Reports what it sees broken with `violated`; a rejection fails the case too. Afterwards the checker decides. */
  run(harness: ClusterHarness, plan: { random: Random; clips: number }): Promise<void>;
}
