import type { InstallContext } from '@recording-request/stack/install/context';
import { ask, ensureGoProgram } from './go-program.ts';
import { KUBERNETES, type Manifest, podOf } from './manifests.ts';

/**
 * Returns the program that checks pods, from the cache or built once per machine. Rejects with a sentence that names
 * the missing program.
 */
export const ensurePodSecurity = (context: InstallContext): Promise<string> =>
  ensureGoProgram({ name: 'pod-security', does: 'judges pods' }, context);

/**
 * Returns the violations of the standard `restricted` in the pods of `objects`, each after the object's name; empty
 * when there are none.
 */
export async function refusedPods(program: string, objects: Manifest[]): Promise<string[]> {
  const judged = objects.filter(object => podOf(object) !== undefined);
  const pods = judged.map(podOf);
  const answers = (await ask(program, { version: `v${KUBERNETES}`, pods })) as string[][];
  return answers.flatMap((refusals, at) => {
    const { kind, metadata } = judged[at]!;
    return refusals.map(refusal => `${kind} ${metadata.name}: ${refusal}`);
  });
}
