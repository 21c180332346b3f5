import { DomainError } from '@recording-request/kit/errors';
import { createFairBudget } from '@recording-request/kit/fair-budget';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { holderOf } from './caller.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The bytes of memory to reserve for the answer before the handler runs. */
    answerBytes?: number;
  }
  interface FastifyRequest {
    /**
     * The bytes that this HTTP response has reserved from the memory for responses; undefined before it reserves any.
     */
    heldBytes: number | undefined;
  }
}

/** The memory for one page of a list while the list is being sent. */
export const LIST_PAGE_BYTES = 512 * 1024;
// Never refuses a smaller response, so that a client that reads large lists still gets its errors and `GET /api/me`.
const SMALL_BYTES = 16 * 1024;
const RETRY_AFTER_SECONDS = 2;

/**
 * Limits the memory of HTTP responses that wait for their connections to send them. A response beyond the limit, or
 * beyond its owner's share, becomes 503. A stream reserves the memory that its route declares. Responses of public
 * routes share one copy and do not count.
 */
export function installAnswerMemory(app: FastifyInstance, { config }: Pick<Context, 'config'>): void {
  const memory = createFairBudget(config.answerMemoryBytes);
  app.decorateRequest('heldBytes', undefined);

  function hold(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
    const own = memory.of(holderOf(request));
    const more = bytes - (request.heldBytes ?? 0);
    if (more > 0 && !own.take(more)) throw tooMuch();
    if (more < 0) own.giveBack(-more);
    if (request.heldBytes === undefined) reply.raw.once('close', () => own.giveBack(request.heldBytes ?? 0));
    request.heldBytes = bytes;
  }

  app.addHook('preHandler', async (request, reply) => {
    const { answerBytes } = request.routeOptions.config;
    if (answerBytes === undefined) return;
    // The connection is already closed: no later event would release the memory.
    if (reply.raw.destroyed) throw new DomainError('cancelled', 'The client went away.');
    hold(request, reply, answerBytes);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const bytes = bytesOf(payload);
    const isShared = request.routeOptions.config?.access?.kind === 'public';
    if (bytes !== undefined && !isShared && !reply.raw.destroyed)
      hold(request, reply, bytes <= SMALL_BYTES ? 0 : bytes);
    return payload;
  });
}

/** Returns undefined for a stream. */
function bytesOf(payload: unknown): number | undefined {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  return Buffer.isBuffer(payload) ? payload.length : undefined;
}

function tooMuch(): DomainError {
  noteShed('busy');
  const sentence = 'Too many answers wait for their readers; read them, and try again in a moment.';
  return new DomainError('unavailable', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
}
