import type { Sharding } from '@recording-request/kit-mongo/shard-keys';
import type { TestEnvironment } from './environment.ts';
import type { Operation } from './operation.ts';
import { shownOperation } from './query-plans.ts';
import { shapeOf } from './shard-watch.ts';
import { watchOperations } from './watch-operations.ts';

/*
 * Checks the MongoDB operations of each store method on filled collections, from the profiler's records. It checks the
 * plan of each operation, and the ratio of examined index entries and documents to returned or changed documents.
 */

/** A store is an object whose values are its methods. */
type Stores<S> = { [Name in keyof S]: object };

export interface QueryInventory<S extends Stores<S>> {
  /** The same stores, with checks. Each call is checked when it has ended. An iterable is first read to its end. */
  stores: S;
  /** Runs and checks other database work under the given name. */
  judge<T>(name: string, work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work`. Returns the number of its commands, the number of index entries and documents that they examined, and
   * the bytes of their answers.
   */
  costOf(work: () => Promise<unknown>): Promise<{ commands: number; examined: number; bytes: number }>;
  /** Returns a sentence for each operation over its limit. */
  wasteful(): string[];
  /** Returns the methods that were never called, such as `links.find`. */
  uncalled(): string[];
  /** Returns the shapes of the commands that lack their collection's shard key; see shard-watch.ts. */
  acrossShards(): string[];
  /** Returns the unused exceptions. */
  unneeded(): string[];
}

export interface InventoryOptions<S extends Stores<S>> {
  env: TestEnvironment['env'];
  /** The database, without its prefix. */
  database: string;
  stores: S;
  /** The methods whose cost may grow, each with the reason. Even such a method must not read a whole collection. */
  exceptions: Record<string, string>;
  sharding?: Pick<Sharding, 'keys'>;
}

/**
 * An operation may examine twice as many documents as it returns, and this many more: the ends of index ranges, and
 * misses in a small set.
 */
const SLACK = 10;
const WHOLE = 'reads a whole collection';

export async function takeInventory<S extends Stores<S>>(
  options: InventoryOptions<S>,
): Promise<QueryInventory<S> & AsyncDisposable> {
  const { env, database, stores, exceptions, sharding } = options;
  const watch = await watchOperations(env, database);
  const called = new Set<string>();
  const needed = new Set<string>();
  const found: string[] = [];
  const shapes = new Set<string>();

  async function judge<T>(name: string, work: () => Promise<T>): Promise<T> {
    called.add(name);
    try {
      return await work();
    } finally {
      for (const operation of await watch.fresh()) {
        const shape = sharding && shapeOf(operation, sharding.keys);
        if (shape) shapes.add(shape);
        const fault = faultOf(operation);
        if (fault === undefined) continue;
        if (name in exceptions && fault !== WHOLE) needed.add(name);
        else found.push(`${name} ${fault}: ${shownOperation(operation)}`);
      }
    }
  }
  const methodsOf = (store: object) => Object.entries(store).filter(([, value]) => typeof value === 'function');
  const judged = (storeName: string, store: object) =>
    Object.fromEntries(
      methodsOf(store).map(([name, method]) => [
        name,
        (...given: unknown[]) => {
          const result = method.apply(store, given);
          const called = `${storeName}.${name}`;
          // A mongoose query is both a promise and an iterable, and runs when it is awaited.
          if (typeof result?.then === 'function') return judge(called, async () => await result);
          if (isIterable(result)) return { [Symbol.asyncIterator]: () => readWhole(called, result) };
          return noted(called, result);
        },
      ]),
    );
  const noted = <T>(name: string, result: T): T => {
    called.add(name);
    return result;
  };
  async function* readWhole(name: string, rows: AsyncIterable<unknown>) {
    yield* await judge(name, () => Array.fromAsync(rows));
  }
  const names = Object.entries<object>(stores).flatMap(([storeName, store]) =>
    methodsOf(store).map(([name]) => `${storeName}.${name}`),
  );
  return {
    stores: Object.fromEntries(Object.entries<object>(stores).map(([name, store]) => [name, judged(name, store)])) as S,
    judge,
    async costOf(work) {
      await watch.fresh();
      await work();
      const cost = { commands: 0, examined: 0, bytes: 0 };
      for (const { keysExamined = 0, docsExamined = 0, responseLength = 0 } of await watch.fresh()) {
        cost.commands += 1;
        cost.examined += keysExamined + docsExamined;
        cost.bytes += responseLength;
      }
      return cost;
    },
    wasteful: () => found,
    acrossShards: () => [...shapes].sort(),
    uncalled: () => names.filter(name => !called.has(name)),
    unneeded: () => Object.keys(exceptions).filter(name => !needed.has(name)),
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  };
}

function faultOf({ planSummary = '', hasSortStage, ...counts }: Operation): string | undefined {
  if (planSummary.includes('COLLSCAN')) return WHOLE;
  if (hasSortStage) return 'sorts the documents without an index';
  const { docsExamined = 0, keysExamined = 0, nreturned = 0, nMatched = 0, ndeleted = 0 } = counts;
  const given = nreturned + nMatched + ndeleted;
  if (Math.max(docsExamined, keysExamined) <= 2 * given + SLACK) return undefined;
  return `examines ${keysExamined} index entries and ${docsExamined} documents for ${given}`;
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
