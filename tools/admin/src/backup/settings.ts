import { loadConfig, type Values } from '@recording-request/kit/config';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { type Connection, connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';
import type { mongo } from 'mongoose';

const VARIABLES = { ...mongoVariables, ...kafkaVariables, ...objectVariables };

/** Where a system keeps what it has: the variables of its services. */
export type Settings = Values<typeof VARIABLES>;

/** Fails with a ConfigError that names what is missing. */
export const readSettings = (env: NodeJS.ProcessEnv): Settings => loadConfig(env, VARIABLES);

/** The services that have a database, by which it is called behind the prefix. */
export const DATABASES = ['projects', 'submissions', 'webhooks'] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** The databases of a system, over one client. */
export interface Databases extends AsyncDisposable {
  /** To that of submissions. */
  connection: Connection;
  client: mongo.MongoClient;
  of(name: string): mongo.Db;
}

/** For collections that are read in a session with a moment: the connection's own read concern would take its place. */
export const AT_THE_MOMENT = { readConcern: { level: 'snapshot' } } as const;

// A collection is read, and an index built, in answers that take longer than a service's.
const ANSWER_MS = 120_000;

export async function openDatabases(settings: Settings): Promise<Databases> {
  const connection = await connectMongo(settings, 'submissions', 'backup', { socketTimeoutMS: ANSWER_MS });
  const client = connection.getClient() as unknown as mongo.MongoClient;
  return {
    connection,
    client,
    of: name => client.db(settings.mongoDatabasePrefix + name),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** Of one process at a time, or made again when it is needed: not backed up. */
export const LEFT_OUT = ['leases', 'keptUploads', 'archives', 'archive_pages'];
