import { readFileSync } from 'node:fs';
import { loadConfig, secretText } from '@recording-request/kit/config';
import { certificateFile, tlsFault } from '@recording-request/kit/tls-files';
import { Redis } from 'ioredis';
import { type Line, note, ok, wrong } from './finding.ts';
import { reasonOf } from './reason.ts';

const REFUSED = /WRONGPASS|NOAUTH|invalid username-password|invalid password/i;

const VARIABLES = { url: secretText('REDIS_URL', '', { default: '' }), ca: certificateFile('REDIS_CA_FILE', '') };

/** Logs in, and sends a PING. */
export async function redisLines(env: NodeJS.ProcessEnv, limitMs: number): Promise<Line[]> {
  const { url, ca } = loadConfig(env, VARIABLES);
  if (!url)
    return [note('REDIS_URL is not set: each gateway counts alone, so several gateways together allow more requests')];
  const redis = new Redis(url, {
    ...{ lazyConnect: true, connectTimeout: limitMs, commandTimeout: limitMs, maxRetriesPerRequest: 0 },
    retryStrategy: () => null,
    ...(ca && { tls: { ca: readFileSync(ca) } }),
  });
  let seen: unknown;
  redis.on('error', error => {
    seen ??= error;
  });
  try {
    await redis.connect();
    await redis.ping();
    return [ok('it answers, and the gateways share their counts')];
  } catch (error) {
    const cause = seen ?? error;
    if ([cause, error].some(each => REFUSED.test((each as Error).message)))
      return [wrong('it does not accept the user or the password in REDIS_URL')];
    const fault = tlsFault(cause, 'Redis', ca ? 'REDIS_CA_FILE' : 'Node’s own list: set REDIS_CA_FILE');
    return [wrong(fault ?? reasonOf(cause))];
  } finally {
    redis.disconnect();
  }
}
