import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { type Child, startChild } from '../child-process.ts';
import { waitFor } from '../wait.ts';
import { type RunningServer, readyOrKilled, type ServerCertificate, type StartContext } from './start-server.ts';

const READY_MS = 60_000;
const SET = 'rs0';
export const LOCAL = '127.0.0.1';

/** The arguments of one member of a replica set. */
export interface MemberOptions {
  set: string;
  cacheGigabytes: number;
  oplogMegabytes: number;
  /** The file with the secret that the members share. With this file, clients must log in. */
  keyFile?: string | undefined;
}

/** Starts MongoDB as a replica set of one member. Resolves when the member is primary. */
export async function startMongo(mongod: string, context: StartContext): Promise<RunningServer> {
  const { host, port, signal } = context;
  // MongoDB's default cache would take half of the machine's memory.
  const child = await launchMember(mongod, context, { set: SET, cacheGigabytes: 1, oplogMegabytes: 1024 });
  const member = `${host}:${port}`;
  await readyOrKilled(
    child,
    waitFor('mongo', () => becomePrimary(member), { timeoutMs: READY_MS, child, signal }),
  );
  const url = `mongodb://${member}/?replicaSet=${SET}`;
  return { name: 'mongo', url, env: { MONGO_URL: url }, child, graceMs: 10_000 };
}

/** Starts the process of a member, which may not respond yet. */
export async function launchMember(mongod: string, context: StartContext, options: MemberOptions): Promise<Child> {
  const { dataDir, host, port, logFile, env, certificate } = context;
  const { set, cacheGigabytes, oplogMegabytes, keyFile } = options;
  const dbPath = join(dataDir, 'mongo');
  await mkdir(dbPath, { recursive: true });
  // Also listens on the local address, because a member without users accepts the first user only from its own machine.
  const addresses = keyFile && host !== LOCAL ? `${LOCAL},${host}` : host;
  const args = ['--replSet', set, '--bind_ip', addresses, '--port', String(port), '--dbpath', dbPath];
  const sizes = ['--wiredTigerCacheSizeGB', String(cacheGigabytes), '--oplogSize', String(oplogMegabytes)];
  // A long quiesce time helps only clients that can use another member, so it is short here.
  const quick = ['shutdownTimeoutMillisForSignaledShutdown=100', 'diagnosticDataCollectionEnabled=false'];
  // deploy/k8s/README.md advises this setting, so that the locks of a killed process expire sooner.
  const parameters = [...quick, 'transactionLifetimeLimitSeconds=30'];
  return await startChild({
    name: 'mongo',
    command: mongod,
    args: [
      ...args,
      ...sizes,
      '--nounixsocket',
      ...(keyFile ? ['--keyFile', keyFile] : []),
      ...(certificate ? await tlsArguments(certificate, join(dataDir, 'mongo-tls')) : []),
      ...parameters.flatMap(one => ['--setParameter', one]),
    ],
    env,
    logFile,
  });
}

/**
 * Returns the arguments that add TLS. The member still accepts plaintext, which the readiness check and the traffic
 * within the set use.
 */
async function tlsArguments({ cert, key, ca }: ServerCertificate, dir: string): Promise<string[]> {
  await mkdir(dir, { recursive: true });
  const [certFile, caFile] = [join(dir, 'server.pem'), join(dir, 'ca.pem')];
  await writeFile(certFile, `${cert}\n${key}`, { mode: 0o600 });
  await writeFile(caFile, ca);
  const files = ['--tlsCertificateKeyFile', certFile, '--tlsCAFile', caFile];
  return ['--tlsMode', 'preferTLS', ...files, '--tlsAllowConnectionsWithoutCertificates'];
}

async function becomePrimary(host: string): Promise<true | undefined> {
  const limits = { serverSelectionTimeoutMS: 2_000, connectTimeoutMS: 2_000, socketTimeoutMS: 10_000 };
  const client = new mongoose.mongo.MongoClient(`mongodb://${host}/?directConnection=true`, limits);
  try {
    const admin = client.db('admin');
    await configure(admin, host);
    // Polls over one connection, because a new connection for each poll would take longer than the election.
    for (let tries = 0; tries < 100; tries++) {
      const hello = await admin.command({ hello: 1 });
      if (hello.isWritablePrimary) return true;
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    return undefined;
  } finally {
    await client.close();
  }
}

const NOT_YET_INITIALIZED = 94;
// The error for data from a run on another port: the configuration of the set does not name this node.
const INVALID_REPLICA_SET_CONFIG = 93;

async function configure(admin: mongoose.mongo.Db, host: string): Promise<void> {
  const members = [{ _id: 0, host }];
  let current: { version: number; members: { host: string }[] };
  try {
    current = (await admin.command({ replSetGetConfig: 1 })).config;
  } catch (error) {
    const code = (error as mongoose.mongo.MongoServerError).code;
    if (code !== NOT_YET_INITIALIZED && code !== INVALID_REPLICA_SET_CONFIG) throw error;
    await admin.command({ replSetInitiate: { _id: SET, members } });
    return;
  }
  if (current.members[0]?.host === host) return;
  const config = { ...current, members: [{ ...current.members[0], host }], version: current.version + 1 };
  await admin.command({ replSetReconfig: config, force: true });
}
