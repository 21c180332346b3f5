import mongoose, { type Connection, type ConnectOptions, type mongo } from 'mongoose';
import type { mongoVariables, Values } from './config.ts';

export type { Connection };

// A write is acknowledged when a majority has it in its journal: a primary that dies afterwards loses nothing.
const OPTIONS = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 60_000,
  waitQueueTimeoutMS: 5_000,
  maxPoolSize: 50,
  retryWrites: true,
  writeConcern: { w: 'majority' as const, j: true, wtimeoutMS: 10_000 },
  readConcernLevel: 'majority' as const,
  // Collections and indexes are made by migrations alone.
  autoCreate: false,
  autoIndex: false,
  bufferCommands: false,
};

/** The MongoDB slice of a service's configuration. */
export type MongoSettings = Values<typeof mongoVariables>;

/**
 * Connects to the database `name`, which the settings prefix; every wait has a bound of seconds. In the server's logs and
 * operations the connections have the name `appName`, by default the service's.
 */
export async function connectMongo(
  settings: MongoSettings,
  name: string,
  appName = name,
  overrides: Pick<ConnectOptions, 'socketTimeoutMS'> = {},
): Promise<Connection> {
  const dbName = `${settings.mongoDatabasePrefix}${name}`;
  return await mongoose.createConnection(settings.mongoUrl, { ...OPTIONS, ...overrides, dbName, appName }).asPromise();
}

/** Drops indexes that earlier versions made, where they are there. Their processes go on without, only slower. */
export async function dropIndexes(collection: Pick<mongo.Collection, 'dropIndex'>, names: string[]): Promise<void> {
  for (const name of names)
    await collection.dropIndex(name).catch(error => {
      if ((error as { code?: number }).code !== INDEX_NOT_FOUND) throw error;
    });
}

const INDEX_NOT_FOUND = 27;

/** Whether an error reports that a document with this unique key exists. */
export const isDuplicateKey = (error: unknown): boolean => (error as { code?: number } | null)?.code === 11_000;

/** Whether an error reports that a query was ended by its own `maxTimeMS`. */
export const isOutOfTime = (error: unknown): boolean => (error as { code?: number } | null)?.code === 50;
