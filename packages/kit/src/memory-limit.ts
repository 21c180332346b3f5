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
