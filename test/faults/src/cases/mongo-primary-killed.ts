import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from '@recording-request/stack/child-process';
import { ensure } from '@recording-request/stack/install/ensure';
import { freePort } from '@recording-request/stack/ports';
import { waitFor } from '@recording-request/stack/wait';
import mongoose from 'mongoose';
import { badAnswers } from '../check/answers.ts';
import type { FaultCase } from '../fault-case.ts';

const SET = 'rs3';
const READY_MS = 60_000;
/** Shorter than MongoDB's default of 10 s, so that a run sees more elections. */
const ELECTION_MS = 4_000;

/** Three MongoDB servers that elect a primary. */
interface ReplicaSet {
  url: string;
  /** Kills the primary with SIGKILL and restarts it after `awayMs`. Resolves when there is a primary again. */
  killPrimary(awayMs: number): Promise<void>;
}

let set: ReplicaSet | undefined;

export const mongoPrimaryKilled: FaultCase = {
  name: 'mongo-primary-killed',
  promise:
    'When MongoDB’s primary dies, what was acknowledged stands, and the next primary carries on without a restart',
  bounded: false,
  weight: 2,
  harness: {
    async servers(dataDir, stack) {
      set = await startReplicaSet(join(dataDir, 'mongo'), stack);
      return { MONGO_URL: set.url };
    },
  },
  async run(harness, { random, submissions, short }) {
    let loading = true;
    const load = harness.load(submissions, random.fork('load')).finally(() => {
      loading = false;
    });
    for (let times = 0; times < (short ? 1 : 3) && (loading || times === 0); times++) {
      await delay(random.integer(500, 3_000));
      await set!.killPrimary(random.integer(500, 6_000));
    }
    await load;
    badAnswers(harness);
  },
};

async function startReplicaSet(dir: string, stack: AsyncDisposableStack): Promise<ReplicaSet> {
  const { mongo } = await ensure(['mongo'], () => {});
  const members = await Promise.all(
    [0, 1, 2].map(async at => ({
      dir: join(dir, String(at)),
      port: await freePort(),
      child: undefined as Child | undefined,
    })),
  );
  const start = async (member: (typeof members)[number]) => {
    await mkdir(member.dir, { recursive: true });
    const args = ['--replSet', SET, '--bind_ip', '127.0.0.1', '--port', String(member.port), '--dbpath', member.dir];
    const thrift = ['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '256', '--nounixsocket'];
    const parameters = ['--setParameter', 'diagnosticDataCollectionEnabled=false'];
    member.child = await startChild({
      name: `mongo-${member.port}`,
      command: mongo!,
      args: [...args, ...thrift, ...parameters],
      env: process.env,
      logFile: join(dir, 'logs', `${member.port}.log`),
    });
  };
  stack.defer(async () => void (await Promise.all(members.map(({ child }) => child?.stop(0)))));
  await Promise.all(members.map(start));
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`);
  const listens = async () => Promise.all(hosts.map(host => ask(host, { ping: 1 })));
  await waitFor('three MongoDB servers', listens, { timeoutMs: READY_MS, checkMs: 10_000, intervalMs: 200 });
  await ask(hosts[0]!, {
    replSetInitiate: {
      _id: SET,
      members: hosts.map((host, _id) => ({ _id, host })),
      settings: { electionTimeoutMillis: ELECTION_MS },
    },
  });
  const primary = () =>
    waitFor('a primary', () => primaryOf(hosts), { timeoutMs: READY_MS, checkMs: 10_000, intervalMs: 100 });
  await primary();
  return {
    url: `mongodb://${hosts.join(',')}/?replicaSet=${SET}`,
    async killPrimary(awayMs) {
      const host = await primary();
      const member = members.find(({ port }) => host.endsWith(`:${port}`))!;
      member.child!.kill('SIGKILL');
      await member.child!.exited;
      await delay(awayMs);
      await start(member);
      await primary();
    },
  };
}

/** The address of the member that reports itself as primary; undefined while none does. */
async function primaryOf(hosts: string[]): Promise<string | undefined> {
  const said = await Promise.all(hosts.map(host => ask(host, { hello: 1 }).catch(() => undefined)));
  return hosts.find((_, at) => said[at]?.isWritablePrimary);
}

async function ask(host: string, command: mongoose.mongo.Document): Promise<mongoose.mongo.Document> {
  const limits = { serverSelectionTimeoutMS: 2_000, connectTimeoutMS: 2_000, socketTimeoutMS: 10_000 };
  const client = new mongoose.mongo.MongoClient(`mongodb://${host}/?directConnection=true`, limits);
  try {
    return await client.db('admin').command(command);
  } finally {
    await client.close();
  }
}
