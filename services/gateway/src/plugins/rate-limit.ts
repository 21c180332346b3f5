import { DomainError } from '@recording-request/kit/errors';
import { noteShed } from '@recording-request/kit/telemetry/shed';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Count, createCounter } from '../adapters/call-counter.ts';
import type { Context } from '../context.ts';
import { callerNetwork } from '../domain/caller-network.ts';

const WINDOW_SECONDS = 60;

export interface RateLimits {
  /** Counts a call under its token, of which it is given the hash. Throws `too_many`. */
  countToken(reply: FastifyReply, tokenHash: string): Promise<void>;
  /** Counts a call under the address it came from. Throws `too_many`. */
  countAddress(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Counts what a contributor's page sends by itself under its address, apart from its other calls. Throws `too_many`. */
  countContributor(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Throws `too_many` for an address that is known to be over its limit, without counting. */
  refuseAddress(reply: FastifyReply, waitSeconds: number): void;
}

/** Counts calls by token and by address, in the Redis or Valkey of REDIS_URL or else in memory. */
export function createRateLimits({ config, redis }: Pick<Context, 'config' | 'redis'>): RateLimits {
  const limitOf = (max: number) => ({ max, windowSeconds: WINDOW_SECONDS });
  const countByToken = createCounter('token', limitOf(config.rateLimitTokenPerMinute), redis);
  const countByAddress = createCounter('address', limitOf(config.rateLimitAddressPerMinute), redis);
  const countByContributor = createCounter('contributor', limitOf(config.rateLimitContributorPerMinute), redis);
  return {
    async countToken(reply, tokenHash) {
      applyCount(reply, 'token', await countByToken(tokenHash));
    },
    async countAddress(request, reply) {
      applyCount(reply, 'address', await countByAddress(callerNetwork(request.ip)));
    },
    async countContributor(request, reply) {
      applyCount(reply, 'contributor', await countByContributor(callerNetwork(request.ip)));
    },
    refuseAddress(reply, resetSeconds) {
      const count = { max: config.rateLimitAddressPerMinute, remaining: 0, resetSeconds, isExceeded: true };
      applyCount(reply, 'address', count);
    },
  };
}

/** Sets https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ and refuses a call over the limit. */
function applyCount(reply: FastifyReply, policy: string, count: Count): void {
  const wait = Math.max(1, count.resetSeconds);
  reply.header('ratelimit-policy', `"${policy}";q=${count.max};w=${WINDOW_SECONDS}`);
  reply.header('ratelimit', `"${policy}";r=${count.remaining};t=${wait}`);
  if (!count.isExceeded) return;
  noteShed('rate');
  reply.header('retry-after', String(wait));
  throw new DomainError('too_many', `Too many requests; wait ${wait} s before the next one.`);
}
