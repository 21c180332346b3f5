import { loadConfig, type Values } from '@recording-request/kit/config';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { type Connection, connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';
import type { mongo } from 'mongoose';

const VARIABLES = { ...mongoVariables, ...kafkaVariables, ...objectVariables };

/** The variables of the services that locate a system's data. */
export type Settings = Values<typeof VARIABLES>;

/** Fails with a ConfigError that names the missing variables. */
export const readSettings = (env: NodeJS.ProcessEnv): Settings => loadConfig(env, VARIABLES);

/** The services with a database; the database's name is the prefix and the service's name. */
export const DATABASES = ['projects', 'submissions', 'webhooks'] as const;

/** The databases of a system, over one client. */
export interface Databases extends AsyncDisposable {
  /** The connection to the database of submissions. */
  connection: Connection;
  client: mongo.MongoClient;
  of(name: string): mongo.Db;
}

/**
 * A read in a session with a fixed moment needs this read concern, because the connection's default would override the
 * session's.
 */
export const AT_THE_MOMENT = { readConcern: { level: 'snapshot' } } as const;

// Longer than for a service's request, because reading a collection or building an index takes longer.
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

/**
 * The collections that a backup leaves out: data of a single process, and data that the services recreate on demand.
 */
export const LEFT_OUT = ['leases', 'keptUploads', 'archives', 'archive_pages'];
