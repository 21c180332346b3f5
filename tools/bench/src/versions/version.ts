import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from '@recording-request/stack/child-process';
import type { Log } from '@recording-request/stack/log';
import { freePort } from '@recording-request/stack/ports';
import { waitFor } from '@recording-request/stack/wait';
import type { Product } from '../product/product.ts';
import { RAISED } from '../product/raised.ts';

export interface Version extends Pick<Product, 'baseUrl' | 'token'>, AsyncDisposable {
  /** The process of each service. */
  pids: Record<string, number>;
}

export interface VersionOptions {
  /** The repository, with its packages installed. */
  folder: string;
  /** The name of the version's databases, topics and bucket, because other versions use the same servers. */
  name: string;
  dir: string;
  serversEnv: Record<string, string>;
  env?: Record<string, string>;
  log: Log;
  signal: AbortSignal;
}

interface Ready {
  baseUrl: string;
  apiToken: string;
  services: Record<string, { pid: number }>;
}

const READY_MS = 180_000;
const STOP_MS = 30_000;

export const namesOf = (name: string) => ({ databasePrefix: `${name}_`, topicPrefix: `${name}.`, bucket: name });

/** Starts a version with its own `npm start` on running servers, so that it migrates and starts in its own way. */
export async function startVersion(options: VersionOptions): Promise<Version> {
  const { folder, name, dir, serversEnv, env, signal } = options;
  const dataDir = join(dir, name);
  const names = namesOf(name);
  const child = await startChild({
    name,
    command: process.execPath,
    args: ['tools/stack/src/start.ts', '--data', dataDir, '--port', String(await freePort())],
    cwd: folder,
    env: {
      ...{ ...process.env, ...serversEnv, ...RAISED, ...env },
      ...{
        MONGO_DATABASE_PREFIX: names.databasePrefix,
        KAFKA_TOPIC_PREFIX: names.topicPrefix,
        S3_BUCKET: names.bucket,
      },
    },
    logFile: join(dir, `${name}.log`),
  });
  const readReady = async () => JSON.parse(await readFile(join(dataDir, 'ready.json'), 'utf8')) as Ready;
  try {
    const ready = await waitFor(name, readReady, { timeoutMs: READY_MS, intervalMs: 200, child, signal });
    return {
      baseUrl: ready.baseUrl,
      token: ready.apiToken,
      pids: Object.fromEntries(Object.entries(ready.services).map(([service, { pid }]) => [service, pid])),
      [Symbol.asyncDispose]: async () => void (await child.stop(STOP_MS)),
    };
  } catch (error) {
    await child.stop(STOP_MS);
    throw error;
  }
}
