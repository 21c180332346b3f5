import type { InstallContext } from '@recording-request/stack/install/context';
import { ask, ensureGoProgram } from './go-program.ts';
import type { Manifest } from './manifests.ts';

/** One end of a connection: an address, and the pod that has it, if any. */
export interface End {
  ip: string;
  namespace?: string;
  namespaceLabels?: Record<string, string>;
  labels?: Record<string, string>;
}

export interface Connection {
  from: End;
  to: End;
  port: number;
  /** The name of the port at the called pod. */
  portName?: string;
  protocol?: 'TCP' | 'UDP';
}

/**
 * Returns the program that evaluates NetworkPolicies, from the cache or built once per machine. Rejects with a sentence
 * that names the missing program.
 */
export const ensurePolicyAnalyser = (context: InstallContext): Promise<string> =>
  ensureGoProgram({ name: 'policies', does: 'judges NetworkPolicies' }, context);

/** Returns for each connection whether the NetworkPolicies in `objects` allow the connection at both ends. */
export async function allowed(program: string, objects: Manifest[], connections: Connection[]): Promise<boolean[]> {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
  return (await ask(program, { policies, connections })) as boolean[];
}
