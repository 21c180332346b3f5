/** How much of one kind may run at once in one process, and of this, under one key, such as a project's id. */
export interface ConcurrencyLimits {
  all: number;
  perKey: number;
}

/**
 * Limits how much of one kind runs at once, so that it never takes a whole process or database. One too many is refused,
 * not queued: its caller would be gone before its turn came.
 */
export function createConcurrencyLimiter({ all, perKey }: ConcurrencyLimits) {
  const running = new Map<string, number>();
  let total = 0;
  return {
    /** How much of it runs. */
    running: (): number => total,
    /** Returns the function that ends what is started; undefined where a limit is reached. */
    tryStart(key: string): (() => void) | undefined {
      const here = running.get(key) ?? 0;
      if (total >= all || here >= perKey) return undefined;
      total++;
      running.set(key, here + 1);
      return () => {
        total--;
        const left = running.get(key)! - 1;
        if (left > 0) running.set(key, left);
        else running.delete(key);
      };
    },
  };
}

export type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>;
