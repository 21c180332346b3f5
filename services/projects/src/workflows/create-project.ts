import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit/grpc-server';
import type { Context } from '../context.ts';
import { sealedFor } from '../domain/sealing.ts';
import type { User } from '../domain/user.ts';
import type { Attempt } from '../store/idempotency.ts';
import { makeProject, type NewProject, type ProjectOrder } from './new-project.ts';

export interface CreatedProject extends NewProject {
  /** The owner, with the reservation. */
  user: User;
}

/** Makes the answer of a creation, and its bytes, which are remembered for a repeat of the request. */
export interface AnswerFormat<T> {
  make(created: CreatedProject): Promise<T>;
  encode(answer: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

/** A repeat with the same key and body gets the first answer. */
export interface RepeatKey {
  key: string;
  /** SHA-256. */
  bodyHash: Buffer;
}

export interface Creation<T> {
  order: ProjectOrder;
  repeat: RepeatKey | undefined;
  format: AnswerFormat<T>;
  now: Date;
}

/** Reserves the allowance, stores the project, its links and the remembered answer: all in one transaction or none. */
export async function createProject<T>(context: Context, creation: Creation<T>, call: CallContext): Promise<T> {
  const { order, repeat, format, now } = creation;
  if (!repeat) return await create(context, creation, call.signal);
  if (repeat.key.length > LIMITS.idempotencyKeyLength) {
    throw new DomainError('invalid', `Idempotency-Key must be at most ${LIMITS.idempotencyKeyLength} characters.`);
  }
  const begun = await context.store.idempotency.begin(order.ownerId, repeat.key, repeat.bodyHash.toString('hex'), now);
  if (begun.kind === 'replay') {
    return format.decode(context.secrets.open(begun.sealedAnswer, sealedFor.answer(order.ownerId, repeat.key)));
  }
  try {
    return await create(context, creation, call.signal, begun);
  } catch (error) {
    await begun
      .abandon()
      .catch(cause => call.log.warn({ err: cause }, 'An idempotency key stays until its lease ends'));
    throw error;
  }
}

async function create<T>(
  context: Context,
  { order, repeat, format, now }: Creation<T>,
  signal: AbortSignal,
  attempt?: Attempt,
): Promise<T> {
  const { store, secrets } = context;
  const made = await makeProject(context, order, now);
  return await store.transaction(async session => {
    // The user first: of two creations at the edge of an allowance, one waits here and writes nothing.
    const user = await store.users.reserve(order.ownerId, made.reserves, session);
    await store.projects.insert(made.project, made.dashboardHash, session);
    await store.links.insertMany(made.shared ? [made.shared, ...made.unique] : made.unique, session);
    const answer = await format.make({ ...made, user });
    if (attempt && repeat) {
      const sealed = secrets.seal(format.encode(answer), sealedFor.answer(order.ownerId, repeat.key));
      await attempt.finish(sealed, made.project._id, session);
    }
    return answer;
  }, signal);
}
