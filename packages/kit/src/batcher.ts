import { AsyncLocalStorage } from 'node:async_hooks';

export interface BatcherOptions<T, R> {
  /** Returns the key of an item. Only items with the same key share a batch, or wait for the previous batch. */
  keyOf(item: T): string;
  /** Resolves to one outcome per item, in order. If it rejects, all calls of the batch reject. */
  work(items: T[]): Promise<readonly R[]>;
  /** The maximum number of items that `work` gets at once. */
  maxBatch?: number;
}

interface Waiting<T, R> {
  item: T;
  /** Runs a function in the caller's async context, with its trace and deadline. */
  within: ReturnType<typeof AsyncLocalStorage.snapshot>;
  resolve(outcome: R): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that batches calls by key. One batch per key runs at a time: the first call starts at once, and
 * calls that arrive during a batch form the next one. So no call gets the outcome of work that began before the call. A
 * batch runs in the context of its first caller.
 */
export function createBatcher<T, R>({ keyOf, work, maxBatch = Number.POSITIVE_INFINITY }: BatcherOptions<T, R>) {
  const queues = new Map<string, Waiting<T, R>[]>();

  async function drain(key: string, queue: Waiting<T, R>[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, maxBatch);
      try {
        const items = batch.map(({ item }) => item);
        const outcomes = await batch[0]!.within(work, items);
        for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]!);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(key);
  }

  return (item: T): Promise<R> =>
    new Promise((resolve, reject) => {
      const key = keyOf(item);
      const waiting = { item, within: AsyncLocalStorage.snapshot(), resolve, reject };
      const queue = queues.get(key);
      if (queue) {
        queue.push(waiting);
        return;
      }
      const first = [waiting];
      queues.set(key, first);
      void drain(key, first);
    });
}

/** Batches reads: callers that ask for a key during a read of this key share the next read. */
export const sharedRead = <T, R>(keyOf: (item: T) => string, read: (item: T) => Promise<R>) =>
  createBatcher<T, R>({
    keyOf,
    async work(items) {
      const found = await read(items[0]!);
      return items.map(() => found);
    },
  });
