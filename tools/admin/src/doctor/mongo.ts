import { loadConfig } from '@recording-request/kit/config';
import { MIGRATE_COMMAND } from '@recording-request/kit/run-migration';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import type { mongo } from 'mongoose';
import { clockLines, type Line, note, ok, wrong } from './finding.ts';
import type { Access } from './needs.ts';

const ACTIONS: Record<Access, readonly string[]> = {
  read: ['find'],
  write: ['find', 'insert', 'update', 'remove'],
  migrate: ['find', 'insert', 'update', 'remove', 'createIndex', 'createCollection'],
};
const UNAUTHORIZED = 13;
const LOCKS_SECONDS = 30;

/** Connects with the login in MONGO_URL, and compares the user's rights with `databases`. Changes nothing. */
export async function mongoLines(
  env: NodeJS.ProcessEnv,
  databases: Readonly<Record<string, Access>>,
  limitMs: number,
): Promise<Line[]> {
  const settings = loadConfig(env, mongoVariables);
  const limits = { serverSelectionTimeoutMS: limitMs, connectTimeoutMS: limitMs, socketTimeoutMS: limitMs };
  const names = Object.keys(databases);
  const connection = await connectMongo(settings, names[0]!, 'doctor', limits);
  try {
    const client = connection.getClient() as unknown as mongo.MongoClient;
    const admin = client.db('admin');
    const hello = await admin.command({ hello: 1 });
    const lines = [setLine(hello), ...clockLines('MongoDB', hello.localTime)];
    const privileges = await privilegesOf(admin);
    for (const name of names)
      lines.push(
        ...(await databaseLines(client.db(settings.mongoDatabasePrefix + name), databases[name]!, privileges)),
      );
    return [...lines, ...(await lockLines(admin))];
  } finally {
    await connection.close();
  }
}

function setLine({ setName, hosts = [], msg }: mongo.BSON.Document): Line {
  if (msg === 'isdbgrid') return ok('a sharded cluster answers');
  if (!setName)
    return wrong(
      'it is a single server, and the services need a replica set: start it with --replSet, and initiate it',
    );
  return ok(`the replica set ${setName} answers, with ${hosts.length} ${hosts.length === 1 ? 'member' : 'members'}`);
}

interface Privilege {
  resource: { db?: string; collection?: string; anyResource?: boolean };
  actions: string[];
}

/** Returns undefined without a login. */
async function privilegesOf(admin: mongo.Db): Promise<Privilege[] | undefined> {
  const { authInfo } = await admin.command({ connectionStatus: 1, showPrivileges: true });
  return authInfo.authenticatedUsers.length === 0 ? undefined : authInfo.authenticatedUserPrivileges;
}

async function databaseLines(database: mongo.Db, access: Access, privileges: Privilege[] | undefined): Promise<Line[]> {
  const name = database.databaseName;
  const missing = privileges ? ACTIONS[access].filter(action => !isGranted(privileges, name, action)) : [];
  if (missing.length > 0)
    return [
      wrong(`the user in MONGO_URL may not ${missing.join(', ')} in ${name}: grant it the role of deploy/rights`),
    ];
  try {
    const isMigrated = (await database.collection('schema').findOne({})) !== null;
    const how = access === 'read' ? 'can be read' : 'can be read and written';
    return [
      ok(`${name} ${how}${privileges ? '' : ', without a login'}`),
      ...(isMigrated || access === 'migrate' ? [] : [note(`${name} has not been migrated: run ${MIGRATE_COMMAND}`)]),
    ];
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNAUTHORIZED) throw error;
    return [wrong(`${name} cannot be read: MONGO_URL has no user, or a user without rights in it`)];
  }
}

const isGranted = (privileges: Privilege[], database: string, action: string): boolean =>
  privileges.some(
    ({ resource: { anyResource, db, collection }, actions }) =>
      actions.includes(action) && (anyResource || ((db === '' || db === database) && collection === '')),
  );

async function lockLines(admin: mongo.Db): Promise<Line[]> {
  const name = 'transactionLifetimeLimitSeconds';
  // The services' users need no right to read this parameter.
  const found = await admin.command({ getParameter: 1, [name]: 1 }).catch(() => undefined);
  const seconds = Number(found?.[name] ?? 0);
  if (seconds <= LOCKS_SECONDS) return [];
  return [note(`${name} is ${seconds}, so the locks of a killed service last that long: ${LOCKS_SECONDS} is better`)];
}
