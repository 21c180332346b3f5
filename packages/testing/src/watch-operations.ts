import { loadConfig } from '@recording-request/kit/config';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import type { mongo } from 'mongoose';
import type { TestEnvironment } from './environment.ts';
import type { Operation } from './operation.ts';
import { NO_CHANGE_STREAM } from './query-plans.ts';

/** Watches the operations of all clients except the test on one database. */
export interface OperationWatch extends AsyncDisposable {
  /** Returns the operations since the last call. */
  fresh(): Promise<Operation[]>;
}

const PROFILE_BYTES = 32 * 1024 * 1024;
const READER = 'watch';
const OTHERS = {
  // Skips the test's own connections.
  appName: { $nin: [READER, 'test'] },
  ...NO_CHANGE_STREAM,
};

/** Starts MongoDB's profiler for every operation on `database`, a name without its prefix. */
export async function watchOperations(env: TestEnvironment['env'], database: string): Promise<OperationWatch> {
  const connection = await connectMongo(loadConfig(env, mongoVariables), database, READER);
  const db = connection.db as unknown as mongo.Db;
  await db.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
  await db.command({ profile: 1, filter: OTHERS });
  const profile = db.collection<Operation>('system.profile');
  let seen = 0;
  return {
    async fresh() {
      const { size } = await db.command({ collStats: 'system.profile' });
      // A full profile drops its oldest records, so this watch would miss operations.
      if (size > 0.9 * PROFILE_BYTES) throw new Error('The profile is full: increase PROFILE_BYTES.');
      const operations = await profile.find().skip(seen).toArray();
      seen += operations.length;
      return operations;
    },
    async [Symbol.asyncDispose]() {
      await db.command({ profile: 0 });
      await db.dropCollection('system.profile');
      await connection.close();
    },
  };
}

/** Returns the name of an operation, such as `deliveries insert` or `uploads findAndModify`. */
export function nameOf({ ns, op, command }: Operation): string {
  const collection = ns.slice(ns.indexOf('.') + 1);
  return `${collection} ${op === 'command' ? Object.keys(command)[0] : op}`;
}
