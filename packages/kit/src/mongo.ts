import mongoose, { type Connection } from 'mongoose';

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
  autoIndex: false,
  bufferCommands: false,
};

/** Connects to `database` at `url`; every wait has a bound of seconds. */
export async function connectMongo(url: string, database: string): Promise<Connection> {
  return await mongoose.createConnection(url, { ...OPTIONS, dbName: database }).asPromise();
}

/** Whether an error says that a document with this unique key is there already. */
export const isDuplicateKey = (error: unknown): boolean => (error as { code?: number } | null)?.code === 11_000;

/** Whether an error says that a query was ended by its own `maxTimeMS`. */
export const isOutOfTime = (error: unknown): boolean => (error as { code?: number } | null)?.code === 50;
