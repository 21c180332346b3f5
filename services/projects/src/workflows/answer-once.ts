import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { Context } from '../context.ts';
import { sealedFor } from '../domain/sealing.ts';
import type { ClientSession } from '../store/transaction.ts';
import { openUnlessLost } from './open-unless-lost.ts';

/** Makes the result of a request, and the bytes that the service stores for a repeated request. */
export interface AnswerFormat<M, T> {
  make(made: M): T;
  encode(answer: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

/** Identifies a request: a repeated request with the same key and body gets the first result. */
export interface RepeatKey {
  key: string;
  /** SHA-256. */
  bodyHash: Buffer;
}

/** A request. If it has a key, the service stores its result. */
export interface Repeatable<M, T> {
  ownerId: string;
  repeat: RepeatKey | undefined;
  format: AnswerFormat<M, T>;
  /** Returns the error for a repeated request whose first result can no longer be opened. */
  lost(projectId: string): DomainError;
}

/**
 * The arguments of a request's work. It writes in `session`, and calls `remember` with the result in its transaction.
 */
export interface Run<T> {
  session: ClientSession;
  signal: AbortSignal;
  remember(answer: T, projectId: string): Promise<void>;
}

/**
 * Runs a request, or returns the stored result of its first run. `work` returns whether it remembered the result. After
 * a failure, or a result that was not remembered, the key is free again.
 */
export async function answerOnce<M, T>(
  context: Context,
  { ownerId, repeat, format, lost }: Repeatable<M, T>,
  call: CallContext,
  work: (run: Run<T>) => Promise<{ answer: T; remembered: boolean }>,
): Promise<T> {
  const { store, secrets } = context;
  const { signal } = call;
  const forget = async () => {};
  if (!repeat)
    return await store.withSession(async session => (await work({ session, signal, remember: forget })).answer);
  const { key, bodyHash } = repeat;
  if (key.length > LIMITS.idempotencyKeyLength)
    throw new DomainError('invalid', `Idempotency-Key must be at most ${LIMITS.idempotencyKeyLength} characters.`);
  const sealContext = sealedFor.answer(ownerId, key);
  return await store.withSession(async session => {
    const attempt = await store.idempotency.begin(
      { userId: ownerId, key, bodyHash: bodyHash.toString('hex') },
      session,
    );
    if (attempt.kind === 'replay') {
      const answer = openUnlessLost(context, attempt.sealedAnswer, sealContext);
      if (!answer) throw lost(attempt.projectId);
      return format.decode(answer);
    }
    const abandon = () =>
      attempt.abandon().catch(cause => call.log.warn({ err: cause }, 'An idempotency key stays until its lease ends'));
    const remember = (answer: T, projectId: string) =>
      attempt.finish(secrets.seal(format.encode(answer), sealContext), projectId);
    try {
      const { answer, remembered } = await work({ session, signal, remember });
      if (!remembered) await abandon();
      return answer;
    } catch (error) {
      await abandon();
      throw error;
    }
  });
}
