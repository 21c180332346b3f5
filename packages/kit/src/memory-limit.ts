import { totalmem } from 'node:os';

/**
 * Returns how many bytes of memory this process may use: its container's limit (cgroup v1 or v2), or the machine's memory
 * where there is no limit below that.
 */
export function memoryLimit(container = process.constrainedMemory(), machine = totalmem()): number {
  // Without a limit some kernels report none as 0, others as a number beyond every machine.
  return container > 0 ? Math.min(container, machine) : machine;
}

/** Bytes of memory that may be in use at once for one purpose. It never waits: a caller that gets none refuses or uses less. */
export interface ByteBudget {
  /** Takes `bytes`. Returns false, and takes nothing, where fewer are free. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
  readonly free: number;
  readonly limit: number;
}

/** Returns a budget of `limit` bytes, all of them free. */
export function createByteBudget(limit: number): ByteBudget {
  let free = limit;
  return {
    limit,
    take(bytes) {
      if (bytes > free) return false;
      free -= bytes;
      return true;
    },
    giveBack(bytes) {
      free = Math.min(limit, free + bytes);
    },
    get free() {
      return free;
    },
  };
}

/** Bytes of memory that may be in use at once for one purpose, shared by many holders, such as owners. */
export interface ByteShares {
  /**
   * Takes `bytes` for a holder. Returns false, and takes nothing, where the holder would then have more than what is left
   * free: however many take what they can, a newcomer finds as much free as each of them has.
   */
  take(holder: string, bytes: number): boolean;
  /** Gives back what was taken for a holder. */
  giveBack(holder: string, bytes: number): void;
  readonly free: number;
}

/** Returns shares of `limit` bytes. One holder gets half of them at most. */
export function createByteShares(limit: number): ByteShares {
  const budget = createByteBudget(limit);
  const taken = new Map<string, number>();
  return {
    take(holder, bytes) {
      const own = (taken.get(holder) ?? 0) + bytes;
      if (own > budget.free - bytes || !budget.take(bytes)) return false;
      taken.set(holder, own);
      return true;
    },
    giveBack(holder, bytes) {
      const own = (taken.get(holder) ?? 0) - bytes;
      if (own > 0) taken.set(holder, own);
      else taken.delete(holder);
      budget.giveBack(bytes);
    },
    get free() {
      return budget.free;
    },
  };
}

/** Work that waits for memory. */
export interface ByteQueue {
  /** Runs `work` once `bytes` are free, first come first served. What wants more than there is gets all of it. */
  run<T>(bytes: number, work: () => Promise<T>): Promise<T>;
}

/** Returns a queue for `limit` bytes in all. */
export function createByteQueue(limit: number): ByteQueue {
  const waiting: Array<{ bytes: number; start(): void }> = [];
  let free = limit;
  function startNext(): void {
    for (let next = waiting[0]; next && next.bytes <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.bytes;
      next.start();
    }
  }
  return {
    async run(wanted, work) {
      const bytes = Math.min(wanted, limit);
      await new Promise<void>(start => {
        waiting.push({ bytes, start });
        startNext();
      });
      try {
        return await work();
      } finally {
        free += bytes;
        startNext();
      }
    },
  };
}
