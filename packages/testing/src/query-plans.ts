import { loadConfig } from '@recording-request/kit/config';
import { connectMongo } from '@recording-request/kit/mongo';
import { mongoVariables } from '@recording-request/kit/store-variables';
import type { mongo } from 'mongoose';
import type { TestEnvironment } from './environment.ts';

// The services with a database of their own, which is also the name that their connections have.
const DATABASES = ['projects', 'submissions', 'webhooks'];
// A query may look at this many documents in vain: it costs nothing, and tests that meet it are small.
const IN_VAIN = 50;
// So few are sorted by a plan that is as good as any.
const FEW = 10;

/** What MongoDB's profiler notes of an operation. */
export interface Operation {
  ns: string;
  op: string;
  command: Record<string, unknown>;
  planSummary?: string;
  hasSortStage?: boolean;
  keysExamined?: number;
  docsExamined?: number;
  nreturned?: number;
  nMatched?: number;
  ndeleted?: number;
  responseLength?: number;
}

const number = (field: string) => ({ $ifNull: [field, 0] });
/** A change stream reads the log of all changes, as it must. */
export const NO_CHANGE_STREAM = {
  'command.pipeline.0.$changeStream': { $exists: false },
  'originatingCommand.pipeline.0.$changeStream': { $exists: false },
};
const WASTEFUL = {
  appName: { $in: DATABASES },
  ...NO_CHANGE_STREAM,
  $or: [
    { planSummary: { $regex: 'COLLSCAN' } },
    { hasSortStage: true, docsExamined: { $gt: FEW } },
    {
      $expr: {
        $gt: [
          number('$docsExamined'),
          { $add: [IN_VAIN, ...['$nreturned', '$nMatched', '$ndeleted'].map(of => ({ $multiply: [2, number(of)] }))] },
        ],
      },
    },
  ],
};

export interface QueryPlans {
  /**
   * Returns a sentence for each operation of a service, since the watch began, that read a whole collection, sorted documents
   * itself, or read more than twice the documents that it returned or changed.
   */
  wasteful(): Promise<string[]>;
}

/** Has MongoDB's profiler watch the operations of the services on the databases of an environment. */
export async function watchQueryPlans({ env }: Pick<TestEnvironment, 'env'>): Promise<QueryPlans> {
  const settings = loadConfig(env, mongoVariables);
  async function each<T>(work: (database: mongo.Db) => Promise<T>): Promise<T[]> {
    const connection = await connectMongo(settings, 'none', 'test');
    try {
      const databases = DATABASES.map(name => connection.getClient().db(`${settings.mongoDatabasePrefix}${name}`));
      return await Promise.all(databases.map(work));
    } finally {
      await connection.close();
    }
  }
  await each(database => database.command({ profile: 1, filter: WASTEFUL }));
  return {
    async wasteful() {
      const found = await each(database => database.collection<Operation>('system.profile').find().toArray());
      return [...new Set(found.flat().map(describe))];
    },
  };
}

function describe(operation: Operation): string {
  const { ns, op, docsExamined = 0, nreturned = 0 } = operation;
  return `${ns}: ${op} read ${docsExamined} documents and returned ${nreturned} ${shownOperation(operation)}`;
}

/** Returns the plan and the command, without what is the same in every command. */
export function shownOperation({ command, planSummary, hasSortStage }: Operation): string {
  const { lsid: _lsid, $clusterTime: _time, ...asked } = command;
  const plan = `${planSummary ?? 'no plan'}${hasSortStage ? ', sorted without an index' : ''}`;
  return `(${plan}): ${JSON.stringify(asked)}`;
}
