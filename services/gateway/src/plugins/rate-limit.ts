import { createHash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.ts';

const WINDOW_SECONDS = 60;
// Above that the least recently seen callers start anew, which is kinder than memory without a bound.
const CALLERS = 50_000;

export interface RateLimits {
  /** Counts a call under its token. Throws `too_many`. */
  countToken(request: FastifyRequest, reply: FastifyReply, token: string): Promise<void>;
  /** Counts a call under the address it came from. Throws `too_many`. */
  countAddress(request: FastifyRequest, reply: FastifyReply): Promise<void>;
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

export async function installRateLimits(
  app: FastifyInstance,
  config: Pick<GatewayConfig, 'rateLimitTokenPerMinute' | 'rateLimitAddressPerMinute'>,
): Promise<RateLimits> {
  app.decorateRequest('rateLimitKey', '');
  await app.register(rateLimit, {
    global: false,
    cache: CALLERS,
    timeWindow: WINDOW_SECONDS * 1000,
    keyGenerator: request => request.rateLimitKey,
  });
  // `cache` is read by the plugin, though its types do not tell.
  const limiter = (max: number) => app.createRateLimit({ max, ...{ cache: CALLERS } });
  const byToken = limiter(config.rateLimitTokenPerMinute);
  const byAddress = limiter(config.rateLimitAddressPerMinute);
  return {
    async countToken(request, reply, token) {
      request.rateLimitKey = createHash('sha256').update(token).digest('base64');
      tell(reply, 'token', (await byToken(request)) as Count);
    },
    async countAddress(request, reply) {
      request.rateLimitKey = request.ip;
      tell(reply, 'address', (await byAddress(request)) as Count);
    },
  };
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
