import { readFileSync } from 'node:fs';
import { StartError } from '@recording-request/kit/config';
import { causes, tlsFault } from '@recording-request/kit/tls-files';
import { isMeasured, isTraced } from '@recording-request/kit-telemetry/signals';
import mongoose, { type Connection, type ConnectOptions } from 'mongoose';
import { interceptCommands } from './commands.ts';
import { reportMongo } from './server-figures.ts';
import type { MongoSettings } from './variables.ts';

export type { Connection, MongoSettings };

// A write is acknowledged when a majority of the members has it in its journal. So nothing is lost if the primary then
// dies.
const OPTIONS = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 60_000,
  waitQueueTimeoutMS: 5_000,
  maxPoolSize: 50,
  // A new process gets the full load at once. The driver opens only two connections at a time, which is too slow with
  // TLS and a login.
  minPoolSize: 4,
  retryWrites: true,
  writeConcern: { w: 'majority' as const, j: true, wtimeoutMS: 10_000 },
  readConcernLevel: 'majority' as const,
  // Only migrations create collections and indexes.
  autoCreate: false,
  autoIndex: false,
  bufferCommands: false,
};

/**
 * Connects to the database `name`, with the prefix of the settings. Every wait is limited to seconds. The server's logs
 * and operations show `appName`, by default the service's name. Rejects with a StartError if an operator must change
 * something first: a refused login, an untrusted certificate.
 */
export async function connectMongo(
  settings: MongoSettings,
  name: string,
  appName = name,
  overrides: Pick<ConnectOptions, 'socketTimeoutMS' | 'serverSelectionTimeoutMS' | 'connectTimeoutMS'> = {},
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

/**
 * Uses TLS if a file is set; the address may also turn TLS on. The driver reads the files once, at the first
 * connection.
 */
function tlsOptions({ mongoCaFile, mongoCertFile, mongoKeyFile }: MongoSettings): ConnectOptions {
  if (!mongoCaFile && !mongoCertFile) return {};
  return {
    tls: true,
    ...(mongoCaFile && { tlsCAFile: mongoCaFile }),
    ...(mongoCertFile && mongoKeyFile && { cert: readFileSync(mongoCertFile), key: readFileSync(mongoKeyFile) }),
  };
}

// The second code is Atlas's own.
const AUTHENTICATION_FAILED = new Set<unknown>([18, 8_000]);

/** Omits the driver's message, which may quote a part of a password that is not encoded. */
const NO_ADDRESS =
  'MONGO_URL is no address that MongoDB’s driver takes: “@”, “/”, “:” and “%” in the user and the password are to be percent-encoded (“@” is %40), ports are from 1 to 65535, and an option that it does not know, or not with this value, is refused.';

/**
 * The names of the driver's errors about an address. The check compares names, because a separate package with its own
 * error class parses addresses.
 */
const OF_ADDRESS = new Set(['MongoParseError', 'MongoInvalidArgumentError', 'MongoMissingCredentialsError']);

const isAddressFault = ({ name, message }: Error): boolean =>
  OF_ADDRESS.has(name) || (name === 'MongoRuntimeError' && message.startsWith('Unable to parse'));

function mongoFault(error: unknown, { mongoCaFile }: MongoSettings): string | undefined {
  if (isAddressFault(error as Error)) return NO_ADDRESS;
  for (const each of causes(error))
    if (AUTHENTICATION_FAILED.has((each as { code?: unknown }).code))
      return 'MongoDB does not accept the user or the password in MONGO_URL.';
  return tlsFault(error, 'MongoDB', mongoCaFile ? 'MONGO_CA_FILE' : 'Node’s own list: set MONGO_CA_FILE');
}

/** Returns whether an error reports that a document with this unique key exists. */
export const isDuplicateKey = (error: unknown): boolean => (error as { code?: number } | null)?.code === 11_000;

/** Returns whether an error reports that a query reached its own `maxTimeMS`. */
export const isOutOfTime = (error: unknown): boolean => (error as { code?: number } | null)?.code === 50;
