import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import mongoose from 'mongoose';
import type { Child } from '../child-process.ts';
import { freePort } from '../ports.ts';
import { writePrivate } from '../secrets.ts';
import { waitFor } from '../wait.ts';
import type { Killed } from './killed.ts';
import { LOCAL, launchMember } from './mongo.ts';
import type { ServerCertificate } from './start-server.ts';

export interface MongoSetOptions {
  /** The folder of the data and of `logs/mongo-<n>.log`. */
  dataDir: string;
  host?: string;
  /** With a certificate, the members also accept TLS, and use TLS between themselves. */
  certificate?: ServerCertificate;
  /** True if clients must log in. Then the returned address contains a user with every permission. */
  login?: boolean;
  electionTimeoutMs?: number;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

/** A replica set of three members, on one machine. */
export interface MongoSet extends AsyncDisposable {
  /** The address of the set, with every member and a user with every permission. */
  url: string;
  /** Kills the primary. Resolves when the primary has ended. */
  killPrimary(): Promise<Killed>;
}

interface Member {
  address: string;
  launch(): Promise<void>;
  child: Child | undefined;
}

const SET = 'rs0';
const MEMBERS = [1, 2, 3];
/**
 * Half of MongoDB's default. With this timeout, a new primary is elected five to seven seconds after the old one ends.
 */
const ELECTION_MS = 5_000;
const READY = { timeoutMs: 60_000, checkMs: 10_000, intervalMs: 100 };
/** The codes Unauthorized and "user already exists". */
const USER_IS_THERE = new Set<unknown>([13, 51003]);
const LIMITS = { serverSelectionTimeoutMS: 2_000, connectTimeoutMS: 2_000, socketTimeoutMS: 10_000 };

/**
 * Starts the members. Resolves when the set has a primary and two secondaries. The members end with this process, or on
 * disposal.
 */
export async function startMongoSet(mongod: string, options: MongoSetOptions): Promise<MongoSet> {
  const { login = false, electionTimeoutMs = ELECTION_MS, signal } = options;
  const members = await membersOf(mongod, options);
  await using ending = new AsyncDisposableStack();
  ending.defer(async () => void (await Promise.all(members.map(({ child }) => child?.stop(0)))));
  await Promise.all(members.map(({ launch }) => launch()));
  const addresses = members.map(({ address }) => address);
  const listen = () => Promise.all(addresses.map(address => ask(address, { hello: 1 })));
  await waitFor('the members of the MongoDB set', listen, { ...READY, signal });
  // Uses the member's local address, because a member without users accepts these two commands only from its own
  // machine.
  const near = (address: string) => (login ? `${LOCAL}:${address.split(':')[1]}` : address);
  const config = {
    _id: SET,
    members: addresses.map((host, _id) => ({ _id, host })),
    settings: { electionTimeoutMillis: electionTimeoutMs },
  };
  await ask(near(addresses[0]!), { replSetInitiate: config });
  const primary = () => waitFor('a primary', () => primaryOf(addresses), { ...READY, signal });
  const takesPart = (address: string) =>
    waitFor(`${address} of the MongoDB set`, () => isMember(address), { ...READY, signal });
  await primary();
  const pwd = randomBytes(16).toString('hex');
  if (login) {
    const made = async () => await makeUser(near(await primary()), pwd);
    await waitFor('a user of the MongoDB set', made, { ...READY, signal });
  }
  await Promise.all(addresses.map(takesPart));
  const opened = ending.move();
  return {
    url: `mongodb://${login ? `root:${pwd}@` : ''}${addresses.join(',')}/?replicaSet=${SET}`,
    async killPrimary() {
      const address = await primary();
      const member = members.find(each => each.address === address)!;
      const at = Date.now();
      member.child!.kill('SIGKILL');
      await member.child!.exited;
      return {
        address,
        at,
        async restart() {
          await member.launch();
          await takesPart(address);
        },
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function membersOf(mongod: string, options: MongoSetOptions): Promise<Member[]> {
  const { dataDir, host = LOCAL, certificate, login, env = process.env, signal } = options;
  const keyFile = login ? join(dataDir, 'mongo-key') : undefined;
  if (keyFile) await writePrivate(keyFile, randomBytes(96).toString('base64'));
  return await Promise.all(
    MEMBERS.map(async number => {
      const port = await freePort();
      const place = { dataDir: join(dataDir, `mongo-${number}`), logFile: join(dataDir, `logs/mongo-${number}.log`) };
      const member: Member = {
        address: `${host}:${port}`,
        child: undefined,
        async launch() {
          const context = { ...place, host, port, env, signal, certificate };
          member.child = await launchMember(mongod, context, {
            ...{ set: SET, cacheGigabytes: 0.25, oplogMegabytes: 256, keyFile },
          });
        },
      };
      return member;
    }),
  );
}

/** Returns the address of the member that reports itself as primary; undefined while none does. */
async function primaryOf(addresses: string[]): Promise<string | undefined> {
  const said = await Promise.all(addresses.map(address => ask(address, { hello: 1 }).catch(() => undefined)));
  return addresses.find((_, at) => said[at]?.isWritablePrimary);
}

async function isMember(address: string): Promise<true | undefined> {
  const { isWritablePrimary, secondary } = await ask(address, { hello: 1 });
  return isWritablePrimary || secondary ? true : undefined;
}

/**
 * Creates the user. During an election, MongoDB may create the user and still report an error; then it refuses a second
 * attempt without a login.
 */
async function makeUser(address: string, pwd: string): Promise<true> {
  try {
    await ask(address, { createUser: 'root', pwd, roles: ['root'] });
  } catch (error) {
    if (!USER_IS_THERE.has((error as { code?: unknown }).code)) throw error;
  }
  return true;
}

async function ask(address: string, command: mongoose.mongo.Document): Promise<mongoose.mongo.Document> {
  const client = new mongoose.mongo.MongoClient(`mongodb://${address}/?directConnection=true`, LIMITS);
  try {
    return await client.db('admin').command(command);
  } finally {
    await client.close();
  }
}
