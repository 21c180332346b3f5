import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { ROOT } from './repository.ts';

const RIGHTS = join(ROOT, 'deploy/rights');

/** A MongoDB user in the form that MongoDB's command accepts. */
export interface MongoUser {
  user: string;
  pwd: string;
  roles: { role: string; db: string }[];
}

/** The users at MongoDB and at the object store. */
export const MONGO_USERS = ['projects', 'submissions', 'webhooks', 'migrate', 'backup'] as const;
export const STORE_USERS = ['submissions', 'media', 'transcription', 'migrate', 'backup'] as const;

/** Returns the policy of a user of the object store: its name in deploy/servers.md, and its file. */
export const policyOf = (user: (typeof STORE_USERS)[number]) => ({
  name: `recording-request-${user}`,
  file: join(RIGHTS, 's3', `${user}.json`),
});

/** The policy for the bucket of the backups, at the store of the clips or at another one. */
export const TARGET_POLICY = { name: 'recording-request-backup-target', file: join(RIGHTS, 's3/backup-target.json') };

/** Returns the users that `deploy/rights/mongodb.js` creates, with new passwords, in the databases that begin with `prefix`. */
export async function newMongoUsers(prefix = ''): Promise<MongoUser[]> {
  const passwords = MONGO_USERS.map(name => [`${name.toUpperCase()}_PASSWORD`, randomBytes(16).toString('hex')]);
  const env = { ...Object.fromEntries(passwords), MONGO_DATABASE_PREFIX: prefix };
  const made: MongoUser[] = [];
  const db = { getSiblingDB: () => ({ getUser: () => null, createUser: (user: MongoUser) => void made.push(user) }) };
  runInNewContext(await readFile(join(RIGHTS, 'mongodb.js'), 'utf8'), { db, process: { env } });
  // Returns a copy, because objects from the script's context have different prototypes.
  return structuredClone(made);
}
