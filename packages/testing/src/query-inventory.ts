import { loadConfig } from '@recording-request/kit/config';
import { connectMongo } from '@recording-request/kit/mongo';
import type { Sharding } from '@recording-request/kit/shard-keys';
import { mongoVariables } from '@recording-request/kit/store-variables';
import type { mongo } from 'mongoose';
import type { TestEnvironment } from './environment.ts';
import type { Operation } from './operation.ts';
import { NO_CHANGE_STREAM, shownOperation } from './query-plans.ts';
import { shapeOf } from './shard-watch.ts';

/*
 * Judges what each method of a service's stores asks of MongoDB at filled collections, by what the profiler noted of it:
 * the plan, and how many index entries and documents were examined for each that was returned or changed.
 */

/** Each is a record of functions. */
type Stores<S> = { [Name in keyof S]: object };

export interface QueryInventory<S extends Stores<S>> {
  /** The same stores. A call of one of their methods is judged when it has ended; an iterable is read to its end first. */
  stores: S;
  /** Judges what else asks the database, under a name of its own. */
  judge<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Returns how many index entries and documents the work had examined, and how many bytes it was answered. */
  costOf(work: () => Promise<unknown>): Promise<{ examined: number; bytes: number }>;
  /** Returns a sentence for each operation that cost more than it may. */
  wasteful(): string[];
  /** Returns the methods that were never called, such as `links.find`. */
  uncalled(): string[];
  /** Returns the shapes of the commands that did not carry their collection's key, see shard-watch.ts. */
  acrossShards(): string[];
  /** Returns the exceptions that no operation needed. */
  unneeded(): string[];
}

export interface InventoryOptions<S extends Stores<S>> {
  env: TestEnvironment['env'];
  /** The database, without its prefix. */
  database: string;
  stores: S;
  /** The methods whose cost may grow, each with the reason. */
  exceptions: Record<string, string>;
  sharding?: Pick<Sharding, 'keys'>;
}

/** What is examined beyond twice of what is returned: the ends of index ranges, and what a small set holds in vain. */
const SLACK = 10;
const PROFILE_BYTES = 32 * 1024 * 1024;
const READER = 'inventory';
const OTHERS = {
  // Connections of the test itself.
  appName: { $nin: [READER, 'test'] },
  ...NO_CHANGE_STREAM,
};

export async function takeInventory<S extends Stores<S>>(
  options: InventoryOptions<S>,
): Promise<QueryInventory<S> & AsyncDisposable> {
  const { env, database, stores, exceptions, sharding } = options;
  const settings = loadConfig(env, mongoVariables);
  const connection = await connectMongo(settings, database, READER);
  const db = connection.db as unknown as mongo.Db;
  const read = await startProfiler(db);
  const called = new Set<string>();
  const needed = new Set<string>();
  const found: string[] = [];
  const shapes = new Set<string>();

  async function judge<T>(name: string, work: () => Promise<T>): Promise<T> {
    called.add(name);
    try {
      return await work();
    } finally {
      for (const operation of await read()) {
        const shape = sharding && shapeOf(operation, sharding.keys);
        if (shape) shapes.add(shape);
        const fault = faultOf(operation);
        if (fault === undefined) continue;
        if (name in exceptions) needed.add(name);
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
          // A query of mongoose is both, and runs once it is awaited.
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
      await read();
      await work();
      const cost = { examined: 0, bytes: 0 };
      for (const { keysExamined = 0, docsExamined = 0, responseLength = 0 } of await read()) {
        cost.examined += keysExamined + docsExamined;
        cost.bytes += responseLength;
      }
      return cost;
    },
    wasteful: () => found,
    acrossShards: () => [...shapes].sort(),
    uncalled: () => names.filter(name => !called.has(name)),
    unneeded: () => Object.keys(exceptions).filter(name => !needed.has(name)),
    async [Symbol.asyncDispose]() {
      await db.command({ profile: 0 });
      await db.dropCollection('system.profile');
      await connection.close();
    },
  };
}

/** Has every operation of others noted. Returns what is new since it was asked last. */
async function startProfiler(db: mongo.Db): Promise<() => Promise<Operation[]>> {
  await db.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
  await db.command({ profile: 1, filter: OTHERS });
  const profile = db.collection<Operation>('system.profile');
  let seen = 0;
  return async () => {
    const fresh = await profile.find().skip(seen).toArray();
    seen += fresh.length;
    return fresh;
  };
}

function faultOf({ planSummary = '', hasSortStage, ...counts }: Operation): string | undefined {
  if (planSummary.includes('COLLSCAN')) return 'reads a whole collection';
  if (hasSortStage) return 'sorts what it found itself';
  const { docsExamined = 0, keysExamined = 0, nreturned = 0, nMatched = 0, ndeleted = 0 } = counts;
  const given = nreturned + nMatched + ndeleted;
  if (Math.max(docsExamined, keysExamined) <= 2 * given + SLACK) return undefined;
  return `examines ${keysExamined} index entries and ${docsExamined} documents for ${given}`;
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
