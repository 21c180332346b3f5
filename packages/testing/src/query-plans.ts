import { loadConfig } from '@recording-request/kit/config';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import type { ShardKeys } from '@recording-request/kit-mongo/shard-keys';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import type { mongo } from 'mongoose';
import type { TestEnvironment } from './environment.ts';
import type { Operation } from './operation.ts';
import { mayLackKey, shapeOf } from './shard-watch.ts';

// The services with a database. Each service's connections have the name of the service.
const DATABASES = ['projects', 'submissions', 'webhooks'];
// A query may examine this many documents that it does not return: these cost little, and tests use small data.
const WASTED_MOST = 50;
// With at most this many documents, any plan is good enough.
const FEW_DOCUMENTS = 10;

const number = (field: string) => ({ $ifNull: [field, 0] });
/**
 * A change stream always reads the whole oplog. MongoDB does not always record the command that opened it, so this
 * recognises its getMore by its time limit. MongoDB accepts a time limit only for a cursor that waits for data, and in
 * the services only change streams wait.
 */
export const NO_CHANGE_STREAM = {
  'command.pipeline.0.$changeStream': { $exists: false },
  'originatingCommand.pipeline.0.$changeStream': { $exists: false },
  $nor: [{ 'command.getMore': { $exists: true }, 'command.maxTimeMS': { $exists: true } }],
};
const OF_SERVICES = { appName: { $in: DATABASES }, ...NO_CHANGE_STREAM };
const WASTEFUL = {
  $or: [
    { planSummary: { $regex: 'COLLSCAN' } },
    { hasSortStage: true, docsExamined: { $gt: FEW_DOCUMENTS } },
    {
      $expr: {
        $gt: [
          number('$docsExamined'),
          {
            $add: [
              WASTED_MOST,
              ...['$nreturned', '$nMatched', '$ndeleted'].map(of => ({ $multiply: [2, number(of)] })),
            ],
          },
        ],
      },
    },
  ],
};

export interface QueryPlans {
  /**
   * Returns a sentence for each wasteful operation of a service since the start of the watch. An operation is wasteful
   * if it scanned a collection, sorted documents without an index, or read more than twice the documents that it
   * returned or changed.
   */
  wasteful(): Promise<string[]>;
  /**
   * Returns, for each database with given keys, the shapes of the commands that lack their collection's shard key, each
   * with an example.
   */
  acrossShards(): Promise<Record<string, Record<string, string>>>;
}

// Enough for some ten thousand commands, because sweepers send commands without the shard key every second.
const PROFILE_BYTES = 32 * 1024 * 1024;

/** Starts MongoDB's profiler for the operations of the services on an environment's databases. */
export async function watchQueryPlans(
  { env }: Pick<TestEnvironment, 'env'>,
  shardKeys: Record<string, ShardKeys> = {},
): Promise<QueryPlans> {
  const settings = loadConfig(env, mongoVariables);
  async function each<T>(work: (database: mongo.Db, name: string) => Promise<T>): Promise<T[]> {
    const connection = await connectMongo(settings, 'none', 'test');
    try {
      const client = connection.getClient();
      return await Promise.all(DATABASES.map(name => work(client.db(`${settings.mongoDatabasePrefix}${name}`), name)));
    } finally {
      await connection.close();
    }
  }
  await each(async (database, name) => {
    const keys = shardKeys[name];
    if (keys) await database.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
    const profiled = keys ? { $or: [WASTEFUL, mayLackKey(database.databaseName, keys)] } : WASTEFUL;
    await database.command({ profile: 1, filter: { ...OF_SERVICES, ...profiled } });
  });
  return {
    async wasteful() {
      const found = await each(database =>
        database
          .collection<Operation>('system.profile')
          .find({ ...WASTEFUL, ...NO_CHANGE_STREAM })
          .toArray(),
      );
      return [...new Set(found.flat().map(describe))];
    },
    async acrossShards() {
      const found = await each(async (database, name) => {
        const shapes: Record<string, string> = {};
        const keys = shardKeys[name];
        if (keys)
          for await (const operation of database.collection<Operation>('system.profile').find()) {
            const shape = shapeOf(operation, keys);
            if (shape) shapes[shape] ??= shownOperation(operation);
          }
        return [name, shapes] as const;
      });
      return Object.fromEntries(found);
    },
  };
}

function describe(operation: Operation): string {
  const { ns, op, docsExamined = 0, nreturned = 0 } = operation;
  return `${ns}: ${op} read ${docsExamined} documents and returned ${nreturned} ${shownOperation(operation)}`;
}

/** Returns the plan and the command, without the fields that every command has. */
export function shownOperation({ command, planSummary, hasSortStage }: Operation): string {
  const { lsid: _lsid, $clusterTime: _time, ...rest } = command;
  const plan = `${planSummary ?? 'no plan'}${hasSortStage ? ', sorted without an index' : ''}`;
  return `(${plan}): ${JSON.stringify(rest)}`;
}
