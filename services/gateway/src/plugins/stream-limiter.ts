import { DomainError } from '@recording-request/kit/errors';
import { noteShed } from '@recording-request/kit/telemetry/shed';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createConcurrencyLimits } from '../domain/concurrency-limits.ts';
import { projectOf } from './caller.ts';

/** How many streams one gateway sends at once. */
export interface StreamLimits {
  all: number;
  /** With all of the owner's tokens together. */
  perOwner: number;
  /** With one API token, or one project's dashboard token. */
  perToken: number;
}

/** Counts the answer to a request as a stream until its connection is done with it. Throws `too_many` beyond a limit. */
export type StreamLimiter = (request: FastifyRequest, reply: FastifyReply) => void;

const RETRY_AFTER_SECONDS = 10;

/** `what` names the streams in the sentence of a refusal. */
export function createStreamLimiter(
  what: 'exports' | 'videos',
  { all, perOwner, perToken }: StreamLimits,
): StreamLimiter {
  const limits = createConcurrencyLimits();
  return (request, reply) => {
    // There would be no second event to end the count.
    if (reply.raw.destroyed) throw new DomainError('cancelled', 'The client went away.');
    const { owner, token } = readerOf(request);
    const release = limits.admit([
      ['all', all],
      [`owner ${owner}`, perOwner],
      [token, perToken],
    ]);
    if (!release) throw tooManyStreams(what);
    reply.raw.once('close', release);
  };
}

/** Whom a stream counts for: its owner, and one of the owner's tokens. */
export function readerOf(request: FastifyRequest): { owner: string; token: string } {
  const { ownerId, projectId } = projectOf(request);
  const token = request.owner ? `token ${request.owner.token.apiTokenId}` : `dashboard ${projectId}`;
  return { owner: ownerId, token };
}

/** Returns the refusal of one stream more, and counts it as shed. */
export function tooManyStreams(what: 'exports' | 'videos'): DomainError {
  noteShed(what === 'videos' ? 'video' : 'export');
  const sentence = `Too many ${what} are being read; let one end, or wait ${RETRY_AFTER_SECONDS} s before the next one.`;
  return new DomainError('too_many', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
}
