import { DomainError } from '@recording-request/kit/errors';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import type { FastifyReply } from 'fastify';
import { type Count, createCounter } from '../adapters/call-counter.ts';
import type { Context } from '../context.ts';
import { callerNetwork } from '../domain/caller-network.ts';
import type { AddressLimit } from './access-kinds.ts';

const WINDOW_SECONDS = 60;
// The part of a dashboard's rate that is reserved for each viewer.
const VIEWER_SHARE = 1 / 4;

/**
 * Counts requests. `address` is the client address of a request. Each method sets the headers of its count and throws
 * `too_many` over the limit.
 */
export interface RateLimits {
  /** Counts a request for its API token, identified by the token's hash. */
  countToken(reply: FastifyReply, tokenHash: string): Promise<void>;
  /**
   * Counts a request for its dashboard token, which all viewers of a project share. A viewer (address) that has used
   * less than a quarter of the rate is still admitted after other viewers have used it up.
   */
  countViewer(reply: FastifyReply, tokenHash: string, address: string): Promise<void>;
  /** Counts a request for its address. */
  countAddress(reply: FastifyReply, limit: AddressLimit, address: string): Promise<void>;
  /**
   * Counts a failed look-up of a token for the address. Returns the seconds until the address may retry; 0 below the
   * limit.
   */
  countGuess(limit: AddressLimit, address: string): Promise<number>;
  /** Throws for an address that is already over its limit, without counting. */
  refuseAddress(reply: FastifyReply, waitSeconds: number): void;
}

/** Counts requests by token and by address, in the Redis or Valkey of REDIS_URL, otherwise in memory. */
export function createRateLimits({ config, redis }: Pick<Context, 'config' | 'redis'>): RateLimits {
  const counter = (kind: string, max: number) => createCounter(kind, { max, windowSeconds: WINDOW_SECONDS }, redis);
  const { rateLimitTokenPerMinute, rateLimitAddressPerMinute, rateLimitContributorPerMinute } = config;
  const countByToken = counter('token', rateLimitTokenPerMinute);
  const countByViewer = counter('viewer', Math.ceil(rateLimitTokenPerMinute * VIEWER_SHARE));
  const countByAddress = {
    address: counter('address', rateLimitAddressPerMinute),
    unknown: counter('unknown', rateLimitAddressPerMinute),
    contributor: counter('contributor', rateLimitContributorPerMinute),
    asset: counter('asset', rateLimitContributorPerMinute),
  } satisfies Record<AddressLimit, unknown>;
  return {
    async countToken(reply, tokenHash) {
      applyCount(reply, 'token', await countByToken(tokenHash));
    },
    async countViewer(reply, tokenHash, address) {
      const viewer = `${tokenHash} ${callerNetwork(address)}`;
      const [all, own] = await Promise.all([countByToken(tokenHash), countByViewer(viewer)]);
      if (all.isExceeded && !own.isExceeded) applyCount(reply, 'viewer', own);
      else applyCount(reply, 'token', all);
    },
    async countAddress(reply, limit, address) {
      applyCount(reply, limit, await countByAddress[limit](callerNetwork(address)));
    },
    async countGuess(limit, address) {
      const { isExceeded, resetSeconds } = await countByAddress[limit](callerNetwork(address));
      return isExceeded ? Math.max(1, resetSeconds) : 0;
    },
    refuseAddress(reply, resetSeconds) {
      applyCount(reply, 'address', { max: rateLimitAddressPerMinute, remaining: 0, resetSeconds, isExceeded: true });
    },
  };
}

/**
 * Sets the headers of https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ and refuses a request over
 * the limit.
 */
function applyCount(reply: FastifyReply, policy: string, count: Count): void {
  const wait = Math.max(1, count.resetSeconds);
  reply.header('ratelimit-policy', `"${policy}";q=${count.max};w=${WINDOW_SECONDS}`);
  reply.header('ratelimit', `"${policy}";r=${count.remaining};t=${wait}`);
  if (!count.isExceeded) return;
  noteShed('rate');
  reply.header('retry-after', String(wait));
  throw new DomainError('too_many', `Too many requests; wait ${wait} s before the next one.`);
}
