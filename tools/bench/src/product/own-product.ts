import { join } from 'node:path';
import { startCluster } from '@recording-request/stack/cluster';
import { withPrograms } from '@recording-request/stack/install/deployed-ffmpeg';
import { provision } from '@recording-request/stack/provision';
import type { ServiceName } from '@recording-request/stack/service-plan';
import type { Bench } from '../row.ts';
import type { Product } from './product.ts';
import { profiling } from './profiling.ts';
import { RAISED } from './raised.ts';

/** A product for one row. */
export interface OwnProduct extends Product, AsyncDisposable {
  dataDir: string;
  /** The variables of the services, without the variables of the servers. */
  env: Record<string, string>;
}

/**
 * Starts separate services on the same servers: all six services, or only the services in `only`. A second start with
 * the same name keeps the data. With the `token` of an earlier start, it creates no new owner.
 */
export async function startOwnProduct(
  { product, dir, log, signal, profile }: Bench,
  name: string,
  {
    token,
    env = {},
    serviceEnv = {},
    only,
  }: {
    token?: string | undefined;
    env?: Record<string, string>;
    serviceEnv?: Partial<Record<ServiceName, Record<string, string>>>;
    only?: readonly ServiceName[];
  } = {},
): Promise<OwnProduct> {
  const names = { databasePrefix: `${name}_`, bucket: name, topicPrefix: `${name}.` };
  const dataDir = join(dir, name);
  const own = { ...RAISED, ...withPrograms(product.programs), ...env, ...profiling(profile, name) };
  const cluster = await startCluster({
    servers: { env: product.serversEnv },
    dataDir,
    kafkaTopicPrefix: names.topicPrefix,
    mongoDatabasePrefix: names.databasePrefix,
    s3Bucket: names.bucket,
    env: own,
    serviceEnv,
    ...(only && { only }),
    restart: false,
    log,
    signal,
  });
  try {
    const { baseUrl, services, certificates } = cluster;
    return {
      ...{ ...product, ...names, baseUrl, services, certificates, dataDir, env: own },
      token: token ?? (await provision(cluster)).apiToken,
      [Symbol.asyncDispose]: () => cluster.stop(),
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
