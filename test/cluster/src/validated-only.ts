import type { CaseResult } from '@recording-request/fault-test/run-case';
import type { ClusterCase } from './cluster-case.ts';

/** The failed builds by program name, each as a sentence. */
export type Unbuilt = Record<string, string>;

/** Describes the failed build of a program, with the first line of the error. */
export function attemptOf({ name, version }: NonNullable<ClusterCase['needs']>, error: unknown): string {
  const [why] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  return `${name} ${version} did not build from its Go module: ${why}`;
}

/** Returns the row of a case that needs a program in `unbuilt` and cannot run; undefined for a case that can. */
export function validatedOnly(
  each: Pick<ClusterCase, 'name' | 'promise' | 'needs'>,
  unbuilt: Unbuilt,
): CaseResult | undefined {
  const attempt = each.needs && unbuilt[each.needs.name];
  if (!attempt) return undefined;
  return {
    ...{ name: each.name, promise: `validated only, as ${attempt} (${each.promise})` },
    ...{ ok: 0, failed: 0, unknown: 0, incidents: 0, seconds: 0 },
    ...{ violations: [], notes: [], dataDir: undefined },
  };
}
