import { once } from 'node:events';
import type { SecureContext } from 'node:tls';
import type { Logger } from '@recording-request/kit/log';
import { tlsContext, tlsFault } from '@recording-request/kit/tls-files';
import { Redis } from 'ioredis';
import type { Config } from '../config.ts';

const CONNECT_MS = 2_000;
// If Redis takes longer, the gateway counts in memory, so that no call waits for Redis.
const COMMAND_MS = 250;
const RETRY_MS = { step: 200, most: 5_000 };

export type { Redis } from 'ioredis';

export type RedisSettings = Pick<Config, 'redisUrl' | 'redisCaFile'>;

/** Connects to Redis or Valkey, where all gateways share counts. The gateway also starts while that server is down. */
export async function connectRedis(settings: RedisSettings, log: Logger): Promise<Redis> {
  const redis = new Redis(settings.redisUrl, {
    ...(settings.redisCaFile && { tls: trusting(settings.redisCaFile) }),
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: tries => Math.min(tries * RETRY_MS.step, RETRY_MS.most),
  });
  let down = false;
  redis.on('error', error => {
    const fault = redisFault(error, settings);
    if (!down && fault) log.error({ err: error }, `${fault} Until then, this process counts rate limits alone.`);
    else if (!down) log.warn({ err: error }, 'Redis cannot be reached: this process counts rate limits alone');
    down = true;
  });
  redis.on('ready', () => {
    if (down) log.info('Redis is back: rate limits are shared again');
    down = false;
  });
  await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_MS) }).catch(() => undefined);
  return redis;
}

/** Each new connection reads a changed file again. */
function trusting(ca: string): { readonly secureContext: SecureContext } {
  const context = tlsContext({ ca });
  return {
    get secureContext() {
      return context();
    },
  };
}

/** Returns a sentence about a certificate that an operator must replace or trust; undefined for another error. */
export const redisFault = (error: unknown, { redisCaFile }: Pick<RedisSettings, 'redisCaFile'>): string | undefined =>
  tlsFault(error, 'Redis', redisCaFile ? 'REDIS_CA_FILE' : 'Node’s own list: set REDIS_CA_FILE');
