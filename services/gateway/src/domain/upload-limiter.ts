/** How many upload requests may run at once. */
export interface UploadLimits {
  all: number;
  /** Of one recording link. */
  perLink: number;
  /** Of one address at one link. */
  perClient: number;
}

/**
 * A concurrency limiter for upload requests: neither one link nor one client can take the whole capacity. It refuses where
 * p-limit would queue: a client that gets 503 and comes back holds no connection and no memory meanwhile.
 */
export function createUploadLimiter({ all, perLink, perClient }: UploadLimits) {
  const running = new Map<string, number>();
  const count = (key: string) => running.get(key) ?? 0;
  return {
    /** How many run. */
    running: (): number => count('all'),
    /** Admits an upload; call what is returned when it ends. Undefined when a limit is reached. */
    admit(linkId: string, address: string): (() => void) | undefined {
      const limits: Array<[key: string, limit: number]> = [
        ['all', all],
        [`link ${linkId}`, perLink],
        [`client ${linkId} ${address}`, perClient],
      ];
      if (limits.some(([key, limit]) => count(key) >= limit)) return undefined;
      for (const [key] of limits) running.set(key, count(key) + 1);
      return () => {
        for (const [key] of limits) {
          if (count(key) > 1) running.set(key, count(key) - 1);
          else running.delete(key);
        }
      };
    },
  };
}
