import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startConstellation } from '@recording-request/stack/constellation';
import { testEnvironment } from '@recording-request/test/environment';
import { type Accounts, connectAccounts } from './accounts.ts';

/** The six services as six processes on the shared real servers, and the operator's door to them. */
export interface System {
  /** The gateway's address, without a slash at its end. */
  baseUrl: string;
  accounts: Accounts;
  /** A folder that is gone when the system stops. */
  scratch: string;
  stop(): Promise<void>;
}

// Every test calls from one address, and Schemathesis sends thousands of requests with one token.
const MANY = '1000000';

export async function startSystem(): Promise<System> {
  const { name } = testEnvironment();
  const scratch = await mkdtemp(join(tmpdir(), 'recording-request-system-'));
  const lines: string[] = [];
  try {
    const constellation = await startConstellation({
      servers: { env: serverVariables() },
      dataDir: scratch,
      kafkaTopicPrefix: `${name}.`,
      mongoDatabasePrefix: `${name}_`,
      s3Bucket: name,
      logLevel: process.env.LOG_LEVEL ?? 'warn',
      env: { RATE_LIMIT_TOKEN_PER_MINUTE: MANY, RATE_LIMIT_ADDRESS_PER_MINUTE: MANY, KAFKA_PARTITIONS: '2' },
      restart: false,
      log: line => lines.push(line),
    });
    const accounts = connectAccounts(constellation.services.projects.grpc);
    return {
      baseUrl: constellation.baseUrl,
      accounts,
      scratch,
      async stop() {
        accounts.close();
        await constellation.stop();
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
