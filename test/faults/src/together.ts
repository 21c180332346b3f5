import type { FaultCase } from './fault-case.ts';
import type { Harness } from './harness/harness.ts';

/** The verdict of one of several cases on the same services. */
export interface Verdict {
  fault: FaultCase;
  /** Resolves to the case's own violations after its run. */
  done: Promise<string[]>;
}

/**
 * Combines several cases into one, so that the services start once. The cases of a step run at the same time, so no
 * case may break a server that another case of its step needs. At the end, the checker judges all cases.
 */
export function together(steps: FaultCase[][]): { fault: FaultCase; verdicts: Verdict[] } {
  const all = steps.flat();
  const outcomes = new Map(all.map(fault => [fault, Promise.withResolvers<string[]>()]));
  const fault: FaultCase = {
    name: all.map(({ name }) => name).join(','),
    promise: all.map(({ promise }) => promise).join('; '),
    bounded: true,
    harness: { env: Object.assign({}, ...all.map(({ harness }) => harness?.env)) },
    async run(harness, plan) {
      for (const step of steps) {
        const counts = step.map(each => (each.weight === 0 ? 0 : plan.submissions));
        await Promise.all(
          step.map(async (each, at) => {
            const seen: string[] = [];
            const own: Harness = Object.create(harness, {
              violated: {
                value(what: string) {
                  seen.push(what);
                  harness.keep();
                },
              },
            });
            const random = plan.random.fork(each.name);
            await each
              .run(own, { ...plan, random, submissions: counts[at]! })
              .catch(error => seen.push(String(error?.stack ?? error)));
            outcomes.get(each)!.resolve(seen);
          }),
        );
      }
    },
  };
  return { fault, verdicts: all.map(each => ({ fault: each, done: outcomes.get(each)!.promise })) };
}
