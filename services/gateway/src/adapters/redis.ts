import { once } from 'node:events';
import type { Logger } from '@recording-request/kit/log';
import { Redis } from 'ioredis';

const CONNECT_MS = 2_000;
// If Redis takes longer, the gateway counts in memory, so that no call waits for Redis.
const COMMAND_MS = 250;
const RETRY_MS = { step: 200, most: 5_000 };

export type { Redis } from 'ioredis';

/** Connects to Redis or Valkey, where all gateways share counts. The gateway also starts while that server is down. */
export async function connectRedis(url: string, log: Logger): Promise<Redis> {
  const redis = new Redis(url, {
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: tries => Math.min(tries * RETRY_MS.step, RETRY_MS.most),
  });
  let down = false;
  redis.on('error', error => {
    if (!down) log.warn({ err: error }, 'Redis cannot be reached: this process counts rate limits alone');
    down = true;
  });
  redis.on('ready', () => {
    if (down) log.info('Redis is back: rate limits are shared again');
    down = false;
  });
  await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_MS) }).catch(() => undefined);
  return redis;
}
