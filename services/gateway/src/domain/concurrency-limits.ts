/** A name under which a piece of work is counted, and how many of that name may run at once. */
export type CountedAs = readonly [name: string, limit: number];

/**
 * Counts what runs at once under several names, such as its owner's and everybody's. It refuses where a queue would wait:
 * a client that is refused and comes back holds no connection and no memory meanwhile.
 */
export function createConcurrencyLimits() {
  const running = new Map<string, number>();
  const count = (name: string) => running.get(name) ?? 0;
  return {
    /** Admits a piece of work; call what is returned once, when it ends. Undefined where one of its limits is reached. */
    admit(names: readonly CountedAs[]): (() => void) | undefined {
      if (names.some(([name, limit]) => count(name) >= limit)) return undefined;
      for (const [name] of names) running.set(name, count(name) + 1);
      return () => {
        for (const [name] of names) {
          if (count(name) > 1) running.set(name, count(name) - 1);
          else running.delete(name);
        }
      };
    },
  };
}
