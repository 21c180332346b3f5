import { DomainError } from '@recording-request/kit/errors';
import { createFairSlots } from '@recording-request/kit/fair-slots';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { projectOf } from './caller.ts';

const SHED = { exports: 'export', videos: 'video', lists: 'list' } as const;

/** The name of its streams in the sentence of a refusal. */
export type StreamKind = keyof typeof SHED;

/** Counts the response to a request as a stream until its connection is done with it. Throws `too_many` beyond a share. */
export type StreamLimiter = (request: FastifyRequest, reply: FastifyReply) => void;

const RETRY_AFTER_SECONDS = 10;

/**
 * Shares `atOnce` streams of this gateway among owners, and those of an owner among its tokens. It refuses where a queue would
 * wait: a client that is refused and returns holds no connection meanwhile. `what` names the streams in a refusal's sentence.
 */
export function createStreamLimiter(what: StreamKind, atOnce: number): StreamLimiter {
  const slots = createFairSlots(atOnce);
  return (request, reply) => {
    // There would be no second event to return the slot.
    if (reply.raw.destroyed) throw new DomainError('cancelled', 'The client went away.');
    const { owner, token } = readerOf(request);
    const slot = slots.tryTake([owner, token]);
    if (!slot) throw tooManyStreams(what);
    reply.raw.once('close', () => slot[Symbol.dispose]());
  };
}

/** Returns the owner that a stream counts for, and the owner's token. */
export function readerOf(request: FastifyRequest): { owner: string; token: string } {
  const { ownerId, projectId } = projectOf(request);
  const token = request.owner ? `token ${request.owner.token.apiTokenId}` : `dashboard ${projectId}`;
  return { owner: ownerId, token };
}

/** Returns the refusal of one stream more, and counts it as shed. */
export function tooManyStreams(what: StreamKind): DomainError {
  noteShed(SHED[what]);
  const sentence = `Too many ${what} are being read; let one end, or wait ${RETRY_AFTER_SECONDS} s before the next one.`;
  return new DomainError('too_many', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
}
