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
    const { ownerId, projectId } = projectOf(request);
    const token = request.owner ? `token ${request.owner.token.apiTokenId}` : `dashboard ${projectId}`;
    const release = limits.admit([
      ['all', all],
      [`owner ${ownerId}`, perOwner],
      [token, perToken],
    ]);
    if (release) reply.raw.once('close', release);
    else {
      noteShed(what === 'videos' ? 'video' : 'export');
      const sentence = `Too many ${what} are being read; let one end, or wait ${RETRY_AFTER_SECONDS} s before the next one.`;
      throw new DomainError('too_many', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
    }
  };
}
