/** How many searches may run at once in one process, and of these, in one project. */
export interface SearchLimits {
  all: number;
  perProject: number;
}

/**
 * Limits the concurrency of searches, which read every clip of a project, so that they never take the whole database.
 * One too many is refused, not queued: its caller would be gone before its turn came.
 */
export function createSearchLimiter({ all, perProject }: SearchLimits) {
  const running = new Map<string, number>();
  let total = 0;
  return {
    /** Returns the function that ends the search; undefined where the limit is reached. */
    tryStart(projectId: string): (() => void) | undefined {
      const here = running.get(projectId) ?? 0;
      if (total >= all || here >= perProject) return undefined;
      total++;
      running.set(projectId, here + 1);
      return () => {
        total--;
        const left = running.get(projectId)! - 1;
        if (left > 0) running.set(projectId, left);
        else running.delete(projectId);
      };
    },
  };
}

export type SearchLimiter = ReturnType<typeof createSearchLimiter>;
