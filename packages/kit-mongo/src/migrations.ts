import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '@recording-request/kit/config';
import { MIGRATE_COMMAND } from '@recording-request/kit/run-migration';
import type { Connection } from 'mongoose';
import { type CollectionIndexes, ensureIndexes } from './indexes.ts';
import { createLease, type Lease, withLease } from './lease.ts';
import { connectMongo, type MongoSettings } from './mongo.ts';

/** The schema that a service needs, and the steps that lead to it. */
export interface Schema {
  /** The database's name, without its prefix. */
  database: string;
  collections: readonly CollectionIndexes[];
  /** The steps in the order of their versions. The last step's version is the version of the schema. */
  steps: readonly Step[];
}

/** One change of a database, applied once. The change only adds, unless `oldest` says otherwise. */
export interface Step {
  version: number;
  name: string;
  /** The result of `fingerprintOf` for the collections, in a step that changes them. */
  indexes?: string;
  /** True if `run` comes before the index builds, for example for a unique index. */
  beforeIndexes?: boolean;
  /** Changes data. Runs again from the start after an interruption, while services read and write. */
  run?(connection: Connection, report: Report): Promise<void>;
  /**
   * The oldest schema version whose services still work after this step. By default, the services of all versions still
   * work.
   */
  oldest?: number;
}

type Report = (line: string) => void;

/** The record of a database, in its collection `schema`. */
interface Applied {
  _id: 'schema';
  version: number;
  oldest: number;
  applied: { version: number; name: string; at: Date; ms: number }[];
}

const LEASE_MS = 30_000;
const LOOK_MS = 500;
const WAIT_MS = 15 * 60_000;

/** The collection that exists while a backup is restored into a database, and after an interrupted restore. */
export const RESTORING = 'restoring';

const records = (connection: Connection) => connection.db!.collection<Applied>('schema');
const recordOf = (connection: Connection) => records(connection).findOne({ _id: 'schema' });
const versionOf = (steps: readonly Step[]): number => steps.at(-1)!.version;

/**
 * Migrates a database: applies the missing steps, then the indexes. Does not change a newer database. If two processes
 * migrate, one waits. A failed or interrupted step runs again the next time. The error's message is for the operator.
 */
export async function migrateDatabase(settings: MongoSettings, schema: Schema, report: Report): Promise<void> {
  await using connection = await connected(settings, schema.database);
  const say: Report = line => report(`${schema.database}: ${line}`);
  const lease = createLease(connection, 'migrate', LEASE_MS);
  const migrate = async () => {
    await apply(connection, schema, lease, say);
    return true;
  };
  const until = Date.now() + WAIT_MS;
  for (let waits = false; !(await withLease(lease, migrate)); waits = true) {
    if (!waits) say('another process migrates this database; waiting for it to end');
    if (Date.now() > until)
      throw new Error(`Another process still migrates ${connection.name}: run this again when it has ended.`);
    await delay(LOOK_MS);
  }
}

/** An index build takes as long as the documents need, so this connection has no time limit. */
async function connected(settings: MongoSettings, database: string): Promise<Connection & AsyncDisposable> {
  const connection = await connectMongo(settings, database, 'migrate', { socketTimeoutMS: 0 }).catch(error => {
    if (error instanceof StartError) throw error;
    throw new Error(`MongoDB could not be reached at MONGO_URL: ${error.message}`, { cause: error });
  });
  return Object.assign(connection, { [Symbol.asyncDispose]: () => connection.close() });
}

async function requireWhole(connection: Connection): Promise<void> {
  if (await connection.db!.collection(RESTORING).findOne({}))
    throw new StartError(
      `The database ${connection.name} holds part of a backup, whose restore runs or was cut: run "restore" to its end, or drop the database.`,
    );
}

async function apply(connection: Connection, schema: Schema, lease: Lease, say: Report): Promise<void> {
  await requireWhole(connection);
  const { version = 0, oldest = 0 } = (await recordOf(connection)) ?? {};
  const wanted = versionOf(schema.steps);
  if (wanted < oldest) throw new StartError(tooOld(connection.name, wanted, oldest));
  if (version > wanted) return say(`is at version ${version}, which is newer than ${wanted}: nothing to do`);
  const pending = schema.steps.filter(step => step.version > version);
  const started = performance.now();
  for (const step of pending) if (step.beforeIndexes) await step.run?.(connection, say);
  await ensureIndexes(connection, schema.collections, say);
  for (const step of pending) {
    if (!step.beforeIndexes) await step.run?.(connection, say);
    // Another process may have taken the lease while this one was paused, and may repeat the same steps.
    if (!(await lease.hold()))
      throw new Error(`Another process has begun to migrate ${connection.name}: run this again.`);
    const entry = {
      version: step.version,
      name: step.name,
      at: new Date(),
      ms: Math.round(performance.now() - started),
    };
    await records(connection).updateOne(
      { _id: 'schema' },
      { $max: { version: step.version, oldest: step.oldest ?? 0 }, $push: { applied: entry } },
      { upsert: true },
    );
    say(`version ${step.version}, ${step.name}, is applied`);
  }
  if (pending.length === 0) say(`is at version ${wanted}`);
}

/** Rejects with a StartError unless all steps were applied to the database and no restore is running in it. */
export async function requireSchema(connection: Connection, steps: readonly Step[]): Promise<void> {
  await requireWhole(connection);
  const { version = 0, oldest = 0 } = (await recordOf(connection)) ?? {};
  const wanted = versionOf(steps);
  if (wanted < oldest) throw new StartError(tooOld(connection.name, wanted, oldest));
  if (version >= wanted) return;
  const is = version === 0 ? 'has not been migrated' : `is at version ${version} of its schema`;
  throw new StartError(
    `The database ${connection.name} ${is}, and this service needs version ${wanted}: run ${MIGRATE_COMMAND} first.`,
  );
}

const tooOld = (database: string, version: number, oldest: number) =>
  `The database ${database} no longer works with version ${version} of its schema, which this service knows: run a service of version ${oldest} or later.`;
