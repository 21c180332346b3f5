import { DomainError } from '@recording-request/kit/errors';
import { createFairSlots } from '@recording-request/kit/fair-slots';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import { reportSlots } from '@recording-request/kit-telemetry/slot-figures';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { projectOf } from './caller.ts';

/** The kinds of streams in metrics, by their name in the error sentence. */
const KINDS = { exports: 'export', videos: 'video', lists: 'list' } as const;

export type StreamKind = keyof typeof KINDS;

export interface StreamLimiter {
  /**
   * Counts an HTTP response as a stream until its connection has finished sending it. Throws `too_many` beyond a share.
   */
  (request: FastifyRequest, reply: FastifyReply): void;
  /** Stops reporting the number of streams in metrics. */
  end(): void;
}

const RETRY_AFTER_SECONDS = 10;

/**
 * Shares `atOnce` streams of this gateway among owners, and an owner's streams among its tokens. Refuses instead of
 * queueing, because a waiting client would hold a connection. Reports the number of open streams.
 */
export function createStreamLimiter(what: StreamKind, atOnce: number): StreamLimiter {
  const slots = createFairSlots(atOnce);
  const count = (request: FastifyRequest, reply: FastifyReply) => {
    // The connection is already closed: no later event would release the slot.
    if (reply.raw.destroyed) throw new DomainError('cancelled', 'The client went away.');
    const { owner, token } = readerOf(request);
    const slot = slots.tryTake([owner, token]);
    if (!slot) throw tooManyStreams(what);
    reply.raw.once('close', () => slot[Symbol.dispose]());
  };
  return Object.assign(count, { end: reportSlots(KINDS[what], atOnce, slots.used) });
}

/** Returns the owner of a stream, and the owner's token. */
export function readerOf(request: FastifyRequest): { owner: string; token: string } {
  const { ownerId, projectId } = projectOf(request);
  const token = request.owner ? `token ${request.owner.token.apiTokenId}` : `dashboard ${projectId}`;
  return { owner: ownerId, token };
}

/** Returns the error that refuses another stream, and counts the stream as shed. */
export function tooManyStreams(what: StreamKind): DomainError {
  noteShed(KINDS[what]);
  const sentence = `Too many ${what} are being read; let one end, or wait ${RETRY_AFTER_SECONDS} s before the next one.`;
  return new DomainError('too_many', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
}
