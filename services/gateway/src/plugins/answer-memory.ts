import { DomainError } from '@recording-request/kit/errors';
import { createFairBudget } from '@recording-request/kit/fair-budget';
import { noteShed } from '@recording-request/kit-telemetry/shed';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { holderOf } from './caller.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Memory for the answer while it is made, in bytes: taken before the handler runs. */
    answerBytes?: number;
  }
  interface FastifyRequest {
    /** Bytes that the answer holds of the memory for answers; undefined before it takes any. */
    heldBytes: number | undefined;
  }
}

/** Memory of one page of a list on its way to a client. */
export const LIST_PAGE_BYTES = 512 * 1024;
// Smaller answers always pass: a client that reads large lists gets its errors, and its `GET /api/me`.
const SMALL_BYTES = 16 * 1024;
const RETRY_AFTER_SECONDS = 2;

/**
 * Bounds the memory that answers hold until their connections have taken them. An answer beyond the bound, or beyond its owner's
 * share, is 503. A stream holds what its route declares. Answers of public routes share one copy and are not counted.
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
    // There would be no event to give it back at.
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

/** undefined for a stream. */
function bytesOf(payload: unknown): number | undefined {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  return Buffer.isBuffer(payload) ? payload.length : undefined;
}

function tooMuch(): DomainError {
  noteShed('busy');
  const sentence = 'Too many answers wait for their readers; read them, and try again in a moment.';
  return new DomainError('unavailable', sentence, { retryAfterSec: RETRY_AFTER_SECONDS });
}
