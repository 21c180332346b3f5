import { AsyncLocalStorage } from 'node:async_hooks';

export interface Grouping<T, R> {
  /** Items of one key wait for each other, those of different keys do not. */
  keyOf(item: T): string;
  /** Resolves to an outcome for each, in their order. Where it rejects, all of them do. */
  work(items: T[]): Promise<readonly R[]>;
  /** How many are given to `work` at once. */
  most?: number;
}

interface Waiting<T, R> {
  item: T;
  /** Runs something for who asked: in their trace, and within their deadline. */
  within: ReturnType<typeof AsyncLocalStorage.snapshot>;
  resolve(outcome: R): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that does the work of each key one after the other, and together what came meanwhile, for the first who
 * asked. The first of a key begins at once; nobody gets an outcome of work that began before they asked.
 */
export function grouped<T, R>({ keyOf, work, most = Number.POSITIVE_INFINITY }: Grouping<T, R>) {
  const queues = new Map<string, Waiting<T, R>[]>();

  async function drain(key: string, queue: Waiting<T, R>[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, most);
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

/** The same for a read: callers that ask for a key while it is read share the next read, which begins after they asked. */
export const sharedRead = <T, R>(keyOf: (item: T) => string, read: (item: T) => Promise<R>) =>
  grouped<T, R>({
    keyOf,
    async work(items) {
      const found = await read(items[0]!);
      return items.map(() => found);
    },
  });
