import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';

/** The part of an operation's description about Idempotency-Key. */
export const IDEMPOTENCY_RULE =
  'With an Idempotency-Key, the same key and body within 24 hours return the first answer again, with Idempotent-Replayed: true; the same key with another body is 422. The order of the fields and white space between them do not matter. While the first request is still running, a repetition is 409 with Retry-After, for at most 30 seconds: then send the same request again, whatever the outcome of the first.';

export const IDEMPOTENCY_ERRORS = {
  409: 'The first request with this Idempotency-Key is still running.',
  422: 'The Idempotency-Key was used with another body, or its first answer cannot be shown any more.',
};

/** Returns the schema of the header. `each` names the thing that a key is for. */
export const idempotencyHeaders = (each: string) =>
  Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        maxLength: LIMITS.idempotencyKeyLength,
        description: `A text that you choose for each ${each}. Keep it until you have the answer: a retry must send the same key. It is valid for 24 hours, for all tokens of the owner.`,
      }),
    ),
  });

/**
 * Returns the key. Reads the raw headers, because Node joins repeated headers into one text, a key that the client did
 *  not send.
 */
export function idempotencyKeyOf({ raw: { rawHeaders } }: FastifyRequest): string {
  const [key = '', ...more] = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === 'idempotency-key',
  );
  if (more.length > 0) throw new DomainError('invalid', 'Send one Idempotency-Key.');
  return key;
}
