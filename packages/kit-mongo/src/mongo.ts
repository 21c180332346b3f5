import { readFileSync } from 'node:fs';
import { StartError } from '@recording-request/kit/config';
import { causes, tlsFault } from '@recording-request/kit/tls-files';
import { isMeasured, isTraced } from '@recording-request/kit-telemetry/signals';
import mongoose, { type Connection, type ConnectOptions } from 'mongoose';
import { interceptCommands } from './commands.ts';
import { reportMongo } from './server-figures.ts';
import type { MongoSettings } from './variables.ts';

export type { Connection, MongoSettings };

// A write is acknowledged when a majority has it in its journal: a primary that dies afterwards loses nothing.
const OPTIONS = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 60_000,
  waitQueueTimeoutMS: 5_000,
  maxPoolSize: 50,
  // A new process has to serve what the one before did: behind TLS and a login, two connections at a time come too late for it.
  minPoolSize: 4,
  retryWrites: true,
  writeConcern: { w: 'majority' as const, j: true, wtimeoutMS: 10_000 },
  readConcernLevel: 'majority' as const,
  // Collections and indexes are made by migrations alone.
  autoCreate: false,
  autoIndex: false,
  bufferCommands: false,
};

/**
 * Connects to the database `name`, which the settings prefix; every wait has a bound of seconds. In the server's logs and
 * operations the connections have the name `appName`, by default the service's. Fails with a StartError where somebody has to
 * change something first: a login that MongoDB refuses, a certificate that is not believed.
 */
export async function connectMongo(
  settings: MongoSettings,
  name: string,
  appName = name,
  overrides: Pick<ConnectOptions, 'socketTimeoutMS'> = {},
): Promise<Connection> {
  const dbName = `${settings.mongoDatabasePrefix}${name}`;
  const options = { ...OPTIONS, ...tlsOptions(settings), ...overrides, dbName, appName };
  interceptCommands({ watch: isMeasured() || isTraced() });
  const connection = mongoose.createConnection(settings.mongoUrl, options);
  await connection.asPromise().catch(async error => {
    await connection.destroy().catch(() => undefined);
    const fault = mongoFault(error, settings);
    throw fault === undefined ? error : new StartError(fault);
  });
  if (isMeasured()) reportMongo(connection.getClient());
  return connection;
}

/** TLS where a file says so; the address may ask for it as well. The driver reads the files once, when it connects first. */
function tlsOptions({ mongoCaFile, mongoCertFile, mongoKeyFile }: MongoSettings): ConnectOptions {
  if (!mongoCaFile && !mongoCertFile) return {};
  return {
    tls: true,
    ...(mongoCaFile && { tlsCAFile: mongoCaFile }),
    ...(mongoCertFile && mongoKeyFile && { cert: readFileSync(mongoCertFile), key: readFileSync(mongoKeyFile) }),
  };
}

const AUTHENTICATION_FAILED = 18;

/** Without what the driver says of it: where a password is not encoded, that may quote a part of it. */
const NO_ADDRESS =
  'MONGO_URL is no address that MongoDB’s driver takes: “@”, “/”, “:” and “%” in the user and the password are to be percent-encoded (“@” is %40), ports are from 1 to 65535, and an option that it does not know, or not with this value, is refused.';

/** Errors of the driver before it connects, by name: what parses addresses is a package of its own, whose class is another. */
const OF_ADDRESS = new Set(['MongoParseError', 'MongoInvalidArgumentError', 'MongoMissingCredentialsError']);

const isAddressFault = ({ name, message }: Error): boolean =>
  OF_ADDRESS.has(name) || (name === 'MongoRuntimeError' && message.startsWith('Unable to parse'));

function mongoFault(error: unknown, { mongoCaFile }: MongoSettings): string | undefined {
  if (isAddressFault(error as Error)) return NO_ADDRESS;
  for (const each of causes(error))
    if ((each as { code?: unknown }).code === AUTHENTICATION_FAILED)
      return 'MongoDB does not accept the user or the password in MONGO_URL.';
  return tlsFault(error, 'MongoDB', mongoCaFile ? 'MONGO_CA_FILE' : 'Node’s own list: set MONGO_CA_FILE');
}

/** Whether an error reports that a document with this unique key exists. */
export const isDuplicateKey = (error: unknown): boolean => (error as { code?: number } | null)?.code === 11_000;

/** Whether an error reports that a query was ended by its own `maxTimeMS`. */
export const isOutOfTime = (error: unknown): boolean => (error as { code?: number } | null)?.code === 50;
