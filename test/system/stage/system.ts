import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@recording-request/stack/cluster';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { testEnvironment } from '@recording-request/testing/environment';
import { type Accounts, connectAccounts } from './accounts.ts';

/** The six services as six processes on the shared real servers, and the operator's door to them. */
export interface System {
  /** The gateway's address, without a slash at its end. */
  baseUrl: string;
  accounts: Accounts;
  /** What its databases (`<name>_`) and topics (`<name>.`) begin with, and what its bucket is called. */
  name: string;
  /** A folder that is gone when the system stops; the services' logs are in `logs`. */
  scratch: string;
  /** Where each service listens, and the id of its process. */
  services: Cluster['services'];
  /** Ends every service, or some, and starts it anew on the same ports and data. Only of a system that was started `renewable`. */
  renew(names?: readonly ServiceName[]): Promise<void>;
  stop(): Promise<void>;
}

export interface SystemOptions {
  /** Services that end are started again. */
  renewable?: boolean;
  /** More variables for every service. */
  env?: Record<string, string>;
  logLevel?: string;
}

// Every test calls from one address, and Schemathesis sends thousands of requests with one token.
const MANY = '1000000';
const RENEW_MS = 120_000;

export async function startSystem({ renewable = false, env, logLevel }: SystemOptions = {}): Promise<System> {
  const { name } = testEnvironment();
  const scratch = await mkdtemp(join(tmpdir(), 'recording-request-system-'));
  const lines: string[] = [];
  let isBack = (_name: string) => {};
  try {
    const cluster = await startCluster({
      servers: { env: serverVariables() },
      dataDir: scratch,
      kafkaTopicPrefix: `${name}.`,
      mongoDatabasePrefix: `${name}_`,
      s3Bucket: name,
      logLevel: logLevel ?? process.env.LOG_LEVEL ?? 'warn',
      env: {
        RATE_LIMIT_TOKEN_PER_MINUTE: MANY,
        RATE_LIMIT_ADDRESS_PER_MINUTE: MANY,
        // Nor is anybody turned away because the machine is busy.
        EVENT_LOOP_DELAY_LIMIT_MS: '0',
        KAFKA_PARTITIONS: '2',
        ...env,
      },
      restart: renewable,
      onRestart: name => isBack(name),
      log: line => lines.push(line),
    });
    const accounts = connectAccounts(cluster.services.projects.grpc);
    return {
      name,
      baseUrl: cluster.baseUrl,
      accounts,
      scratch,
      services: cluster.services,
      async renew(names = SERVICES) {
        const away = new Set<string>(names);
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const late = () => reject(new Error(`not started anew within ${RENEW_MS} ms: ${[...away].join(', ')}`));
        const timer = setTimeout(late, RENEW_MS);
        isBack = name => away.delete(name) && away.size === 0 && resolve();
        for (const name of names) cluster.kill(name, 'SIGTERM');
        await promise.finally(() => clearTimeout(timer));
      },
      async stop() {
        accounts.close();
        await cluster.stop();
        await rm(scratch, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    throw new Error(`the services did not start:\n${lines.join('\n')}`, { cause: error });
  }
}

/** What `npm test` tells about the shared servers. */
function serverVariables(): Record<string, string> {
  const found = Object.entries(process.env).filter(([name]) => /^(?:MONGO_URL|KAFKA_BROKERS|S3_|SPEECH_)/.test(name));
  return Object.fromEntries(found) as Record<string, string>;
}
