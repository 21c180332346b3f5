import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import { type HttpClient, httpClient, ok } from '@recording-request/harness/http-client';
import type { ShardKeys } from '@recording-request/kit-mongo/shard-keys';
import { openCaller } from '@recording-request/kit-rpc/internal/internal';
import { type Cluster, startCluster } from '@recording-request/stack/cluster';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { type Accounts, connectAccounts } from './accounts.ts';
import { serverVariables, testEnvironment } from './environment.ts';
import { type QueryPlans, watchQueryPlans } from './query-plans.ts';
import { testStores } from './test-stores.ts';

/** The six services, in six processes, on the shared real servers, with operator access. */
export interface TestSystem extends AsyncDisposable {
  /** The gateway's URL, without a trailing slash. */
  baseUrl: string;
  accounts: Accounts;
  /** The name of the system's bucket. The system's databases begin with `<name>_`, and its topics with `<name>.`. */
  name: string;
  /** A folder that is removed when the system stops. Its folder `logs` has the services' logs. */
  scratch: string;
  /** The address and process id of each service. */
  services: Cluster['services'];
  certificates: Cluster['certificates'];
  /** Ends a service's process with a signal. A `restartable` system starts the process again. */
  kill: Cluster['kill'];
  /**
   * Restarts the named services (default: all) on the same ports and data, and waits until they run. Works only for a
   * `restartable` system.
   */
  restart(names?: readonly ServiceName[]): Promise<void>;
  /** Creates an owner with a token of every scope. */
  newOwner(userName: string, videoLimit?: number): Promise<Owner>;
  /** Returns the services' commands so far that lack their shard key, by database; see `shardKeys`. */
  acrossShards: QueryPlans['acrossShards'];
  /** Returns the text of every log so far. */
  logs(): Promise<string>;
}

/** A user with one token that has every scope. */
export interface Owner {
  userId: string;
  token: string;
  ask: HttpClient;
  createProject(settings: Record<string, unknown>): Promise<ProjectCreatedJson>;
}

export interface TestSystemOptions {
  /** Restarts services that end. */
  restartable?: boolean;
  /** More variables for every service. */
  env?: Record<string, string>;
  logLevel?: string;
  /** The shard keys by database. Commands of these databases are checked for their keys. */
  shardKeys?: Record<string, ShardKeys>;
}

// All tests call from one address, and some send thousands of requests with one token.
const MANY = '1000000';
const RESTART_MS = 120_000;

/**
 * Starts the services. Disposing stops them, drops their databases, and fails if the cost of a query grows with the
 * data. A failed start rejects with its report and leaves nothing behind.
 */
export async function startTestSystem(options: TestSystemOptions = {}): Promise<TestSystem> {
  const { restartable = false, env, logLevel = process.env.LOG_LEVEL ?? 'warn' } = options;
  const environment = testEnvironment();
  const { name } = environment;
  const lines: string[] = [];
  let isBack = (_name: string) => {};
  await using starting = new AsyncDisposableStack();
  const scratch = await mkdtemp(join(tmpdir(), 'recording-request-system-'));
  starting.defer(() => rm(scratch, { recursive: true, force: true }));
  starting.use(testStores(environment));
  const queryPlans = await watchQueryPlans(environment, options.shardKeys);
  const cluster = starting.use(
    await startCluster({
      servers: { env: serverVariables() },
      dataDir: scratch,
      kafkaTopicPrefix: `${name}.`,
      mongoDatabasePrefix: `${name}_`,
      s3Bucket: name,
      logLevel,
      env: {
        RATE_LIMIT_TOKEN_PER_MINUTE: MANY,
        RATE_LIMIT_ADDRESS_PER_MINUTE: MANY,
        RATE_LIMIT_CONTRIBUTOR_PER_MINUTE: MANY,
        // Turns load shedding off, so that a busy machine refuses no requests.
        EVENT_LOOP_DELAY_LIMIT_MS: '0',
        KAFKA_PARTITIONS: '2',
        ...env,
      },
      restart: restartable,
      onRestart: name => isBack(name),
      log: line => lines.push(line),
    }).catch(error => {
      throw new Error(`the services did not start:\n${lines.join('\n')}`, { cause: error });
    }),
  );
  starting.defer(async () =>
    assert.deepEqual(await queryPlans.wasteful(), [], 'the cost of a query grows with the data'),
  );
  const operator = starting.use(await openCaller(cluster.certificates.env('operator'), 'operator'));
  const accounts = starting.use(connectAccounts(cluster.services.projects.operator!, operator));
  const started = starting.move();
  return {
    name,
    baseUrl: cluster.baseUrl,
    accounts,
    scratch,
    services: cluster.services,
    certificates: cluster.certificates,
    kill: cluster.kill,
    acrossShards: queryPlans.acrossShards,
    async restart(names = SERVICES) {
      const away = new Set<string>(names);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = () => reject(new Error(`not started again within ${RESTART_MS} ms: ${[...away].join(', ')}`));
      const timer = setTimeout(late, RESTART_MS);
      isBack = name => away.delete(name) && away.size === 0 && resolve();
      for (const name of names) cluster.kill(name, 'SIGTERM');
      await promise.finally(() => clearTimeout(timer));
    },
    newOwner: (userName, videoLimit) => newOwner(accounts, cluster.baseUrl, userName, videoLimit),
    async logs() {
      const folder = join(scratch, 'logs');
      const texts = (await readdir(folder)).map(file => readFile(join(folder, file), 'utf8'));
      return (await Promise.all(texts)).join('\n');
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function newOwner(accounts: Accounts, baseUrl: string, userName: string, videoLimit?: number): Promise<Owner> {
  const userId = await accounts.createUser(userName, videoLimit);
  const { secret: token } = await accounts.createToken(userId);
  const ask = httpClient(baseUrl, token);
  const createProject = async (json: Record<string, unknown>) =>
    ok(await ask('/api/projects', { method: 'POST', json }));
  return { userId, token, ask, createProject };
}
