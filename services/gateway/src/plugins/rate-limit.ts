import { createHash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import { DomainError } from '@recording-request/kit/errors';
import type { Logger } from '@recording-request/kit/log';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Redis } from 'ioredis';
import { connectSharedCounts } from '../adapters/shared-counts.ts';
import type { GatewayConfig } from '../config.ts';

const WINDOW_SECONDS = 60;
// Above that the least recently seen callers start anew, which is kinder than memory without a bound.
const CALLERS = 50_000;

export interface RateLimits {
  /** Counts a call under its token. Throws `too_many`. */
  countToken(request: FastifyRequest, reply: FastifyReply, token: string): Promise<void>;
  /** Counts a call under the address it came from. Throws `too_many`. */
  countAddress(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Throws `too_many` for an address that is known to be over its limit, without counting. */
  refuseAddress(reply: FastifyReply, waitSeconds: number): void;
}

interface Count {
  max: number;
  remaining: number;
  ttlInSeconds: number;
  isExceeded: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    rateLimitKey: string;
  }
}

type Limits = Pick<GatewayConfig, 'rateLimitTokenPerMinute' | 'rateLimitAddressPerMinute' | 'redisUrl'>;
type Limiter = (request: FastifyRequest) => Promise<Count>;
interface Limiters {
  byToken: Limiter;
  byAddress: Limiter;
}

/** Counts in memory, or in the Redis or Valkey of REDIS_URL; in memory too while that does not answer. */
export async function installRateLimits(app: FastifyInstance, config: Limits): Promise<RateLimits> {
  app.decorateRequest('rateLimitKey', '');
  const own = await limitersIn(app, config);
  let shared: Limiters | undefined;
  if (config.redisUrl) {
    const redis = await connectSharedCounts(config.redisUrl, app.log as Logger);
    app.addHook('onClose', async () => redis.disconnect());
    shared = await limitersIn(app, config, redis);
  }
  async function count(kind: keyof Limiters, key: string, request: FastifyRequest): Promise<Count> {
    request.rateLimitKey = `${kind}:${key}`;
    if (shared) {
      try {
        return await shared[kind](request);
      } catch {
        // Told once by the connection itself; a limit that is counted apart is better than none, and than no service.
      }
    }
    return own[kind](request);
  }
  return {
    async countToken(request, reply, token) {
      const key = createHash('sha256').update(token).digest('base64');
      tell(reply, 'token', await count('byToken', key, request));
    },
    async countAddress(request, reply) {
      tell(reply, 'address', await count('byAddress', request.ip, request));
    },
    refuseAddress(reply, ttlInSeconds) {
      const count = { max: config.rateLimitAddressPerMinute, remaining: 0, ttlInSeconds, isExceeded: true };
      tell(reply, 'address', count);
    },
  };
}

/** The plugin has one store in each context, so each store gets a context of its own. */
async function limitersIn(app: FastifyInstance, config: Limits, redis?: Redis): Promise<Limiters> {
  let made: Limiters | undefined;
  await app.register(async context => {
    await context.register(rateLimit, {
      global: false,
      cache: CALLERS,
      timeWindow: WINDOW_SECONDS * 1000,
      keyGenerator: request => request.rateLimitKey,
      ...(redis && { redis, nameSpace: 'recording-request:rate:' }),
    });
    // `cache` is read by the plugin, though its types do not tell.
    const limiter = (max: number) => context.createRateLimit({ max, ...{ cache: CALLERS } }) as Limiter;
    made = { byToken: limiter(config.rateLimitTokenPerMinute), byAddress: limiter(config.rateLimitAddressPerMinute) };
  });
  if (!made) throw new Error('the rate limits were not made');
  return made;
}

// https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
function tell(reply: FastifyReply, policy: string, count: Count): void {
  const wait = Math.max(1, count.ttlInSeconds);
  reply.header('ratelimit-policy', `"${policy}";q=${count.max};w=${WINDOW_SECONDS}`);
  reply.header('ratelimit', `"${policy}";r=${count.remaining};t=${wait}`);
  if (!count.isExceeded) return;
  reply.header('retry-after', String(wait));
  throw new DomainError('too_many', `Too many requests; wait ${wait} s before the next one.`);
}
