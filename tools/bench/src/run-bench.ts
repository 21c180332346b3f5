import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startCluster } from '@recording-request/stack/cluster';
import { ensureDeployedFfmpeg, withPrograms } from '@recording-request/stack/install/deployed-ffmpeg';
import type { Log } from '@recording-request/stack/log';
import { provision } from '@recording-request/stack/provision';
import { startServers } from '@recording-request/stack/servers';
import { measureRow } from './measure-row.ts';
import { MAX_ROUNDS, MIN_ROUNDS, type Options, ROUNDS } from './options.ts';
import { ensurePeers } from './peers/peers.ts';
import { ROOT } from './peers/sources.ts';
import type { Product } from './product/product.ts';
import { profiling } from './product/profiling.ts';
import { RAISED } from './product/raised.ts';
import { startSpeechStub } from './product/speech-stub.ts';
import type { RowResult, RunResult } from './report/results.ts';
import { summaryOf } from './report/table.ts';
import { type Bench, FULL } from './row.ts';
import { randomFrom } from './stats/random.ts';

/**
 * The time limit of a run of all rows. Named rows always get their first rounds, but no more rounds after this time.
 */
const LIMIT_SECONDS = 60 * 60;
/** The part of the limit that is reserved for stopping. */
const STOP_SECONDS = 30;
/** Variables that name servers elsewhere. The CPU time of such servers cannot be counted. */
const ELSEWHERE = /^(?:MONGO_URL|KAFKA_BROKERS|S3_|SPEECH_)/;

export const withoutServers = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !ELSEWHERE.test(name)));

export interface RunPlace {
  dir: string;
  log: Log;
  signal: AbortSignal;
  /** Called after each row with the run so far, so that a later failure loses no results. */
  onRow(run: RunResult): Promise<void>;
}

/** Starts servers, product and peers, and measures the rows one after the other. Stops everything before it resolves or rejects. */
export async function runBench(options: Options, place: RunPlace): Promise<RunResult> {
  const { dir, log, signal, onRow } = place;
  const { rows, rounds, seed, profile, bounded } = options;
  const env = withoutServers(process.env);
  const peers = await ensurePeers(new Set(rows.flatMap(row => row.needs)), { dir, env, signal }, log);
  const programs = await ensureDeployedFfmpeg({ env, log, signal });
  // The hour starts after the installation and the build. Otherwise, the last row could have too little time.
  const startedAt = performance.now();
  const left = () => LIMIT_SECONDS - STOP_SECONDS - (performance.now() - startedAt) / 1000;
  await using stack = new AsyncDisposableStack();
  const secretsKey = `k1:${randomBytes(32).toString('base64')}`;
  const product = await startProduct({ dir, env, log, signal, profile, programs, secretsKey }, stack);
  const bench: Bench = { dir, log, signal, scale: FULL, product, secretsKey, peers, profile };
  const run = { ...(await aboutRun()), rows: [] as RowResult[] };
  const random = randomFrom(seed);
  for (const [at, row] of rows.entries()) {
    const later = rows.slice(at + 1).reduce((sum, { minutes }) => sum + 60 * minutes, 0);
    const wanted = rounds ?? row.rounds ?? ROUNDS;
    const result = await measureRow(row, bench, {
      rounds: wanted,
      maxRounds: rounds ?? Math.max(wanted, MAX_ROUNDS),
      anyNoise: wanted < MIN_ROUNDS,
      random,
      left,
      later,
      bounded,
    });
    run.rows.push(result);
    log(summaryOf(result));
    await onRow(run);
  }
  return run;
}

/** Returns the date, the commit and the processor of a run. */
async function aboutRun(): Promise<Omit<RunResult, 'rows'>> {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: ROOT, timeout: 20_000 });
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', '-').replace(':', ''),
    commit: stdout.trim(),
    cpu: cpus()[0]?.model ?? '',
  };
}

async function startProduct(
  {
    dir,
    env,
    log,
    signal,
    profile,
    programs,
    secretsKey,
  }: Pick<RunPlace, 'dir' | 'log' | 'signal'> &
    Pick<Options, 'profile'> & {
      env: NodeJS.ProcessEnv;
      programs: string;
      secretsKey: string;
    },
  stack: AsyncDisposableStack,
): Promise<Product> {
  const dataDir = join(dir, 'servers');
  const servers = stack.use(await startServers({ dataDir, only: ['mongo', 'kafka', 's3'], log, signal, env }));
  const speech = stack.use(await startSpeechStub());
  const serversEnv = { ...servers.env, ...speech.env };
  const bucket = 'recordings';
  const cluster = stack.use(
    await startCluster({
      servers: { env: serversEnv },
      dataDir: dir,
      s3Bucket: bucket,
      env: { ...RAISED, ...withPrograms(programs), ...profiling(profile, 'product'), SECRETS_KEY: secretsKey },
      restart: false,
      log,
      signal,
    }),
  );
  const { apiToken: token } = await provision(cluster);
  return {
    baseUrl: cluster.baseUrl,
    token,
    services: cluster.services,
    certificates: cluster.certificates,
    serversEnv,
    databasePrefix: '',
    topicPrefix: '',
    bucket,
    programs,
  };
}
