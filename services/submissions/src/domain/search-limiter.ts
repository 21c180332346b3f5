/** How many searches may run at once in one process, and of these, in one project. */
export interface SearchLimits {
  all: number;
  perProject: number;
}

/** Places for searches, which read every clip of a project: so that they never take the database from everybody else. */
export function createSearchPlaces({ all, perProject }: SearchLimits) {
  const running = new Map<string, number>();
  let total = 0;
  return {
    /** A place, given back by calling what is returned; undefined where there is none. */
    take(projectId: string): (() => void) | undefined {
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

export type SearchPlaces = ReturnType<typeof createSearchPlaces>;
