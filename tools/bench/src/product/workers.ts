import { join } from 'node:path';
import { startChild } from '@recording-request/stack/child-process';
import { serviceArgs } from '@recording-request/stack/cluster';
import { isServing } from '@recording-request/stack/grpc-health';
import { commonEnv, listenEnv, planAddress, type ServiceName } from '@recording-request/stack/service-plan';
import { waitFor } from '@recording-request/stack/wait';
import { type Admin, Kafka } from 'kafkajs';
import { ROOT } from '../peers/sources.ts';
import type { OwnProduct } from './own-product.ts';

const READY_MS = 60_000;
const CHECK_MS = 2_000;
const GRACE_MS = 15_000;
const GROUP_MS = 60_000;

/** An additional process of a service. */
export interface Worker extends AsyncDisposable {
  pid: number;
}

/** Starts an additional process of a service. `number` is part of its log's name. */
export async function startWorker(
  product: OwnProduct,
  service: ServiceName,
  number: number,
  signal: AbortSignal,
): Promise<Worker> {
  const name = `${service}-${number}`;
  const address = await planAddress(service);
  const common = await commonEnv({
    serversEnv: product.serversEnv,
    addresses: product.services,
    dataDir: product.dataDir,
    kafkaTopicPrefix: product.topicPrefix,
    mongoDatabasePrefix: product.databasePrefix,
    s3Bucket: product.bucket,
    logLevel: 'info',
  });
  const child = await startChild({
    name,
    command: process.execPath,
    args: serviceArgs(service),
    cwd: ROOT,
    env: { ...process.env, ...common, ...product.certificates.env(service), ...product.env, ...listenEnv(address) },
    logFile: join(product.dataDir, 'logs', `${name}.log`),
  });
  const stop = async () => void (await child.stop(GRACE_MS));
  try {
    const check = async () => (await isServing(address.health, CHECK_MS)) || undefined;
    await waitFor(name, check, { timeoutMs: READY_MS, checkMs: 2 * CHECK_MS, child, signal });
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid, [Symbol.asyncDispose]: stop };
}

/** Watches the consumer groups of a product. */
export interface GroupWatch extends AsyncDisposable {
  /** Resolves when each group has `members` members and its partitions are assigned. */
  stable(groups: readonly string[], members: number, signal: AbortSignal): Promise<void>;
}

export async function watchGroups({ serversEnv, topicPrefix }: OwnProduct): Promise<GroupWatch> {
  const admin: Admin = new Kafka({ clientId: 'bench', brokers: serversEnv.KAFKA_BROKERS!.split(',') }).admin();
  await admin.connect();
  return {
    async stable(groups, members, signal) {
      const check = async () => {
        const found = await admin.describeGroups(groups.map(group => topicPrefix + group));
        const isStable = found.groups.every(each => each.state === 'Stable' && each.members.length === members);
        return isStable || undefined;
      };
      await waitFor(`the group of ${members} workers`, check, { timeoutMs: GROUP_MS, checkMs: GROUP_MS, signal });
    },
    [Symbol.asyncDispose]: () => admin.disconnect(),
  };
}
