import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { Context } from '../context.ts';
import { sealedFor } from '../domain/sealing.ts';
import type { User } from '../domain/user.ts';
import type { Attempt } from '../store/idempotency.ts';
import type { ClientSession } from '../store/transaction.ts';
import { type MintedLink, makeProject, mintUnique, type NewProject, type ProjectOrder } from './new-project.ts';
import { openUnlessLost } from './open-unless-lost.ts';

export interface CreatedProject extends NewProject {
  /** The owner after the reservation. */
  user: User;
  /** The first unique links of the project. */
  first: MintedLink[];
}

/** Makes the answer to a creation, and the answer's bytes, which are stored for a repeated request. */
export interface AnswerFormat<T> {
  make(created: CreatedProject): T;
  encode(answer: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

/** A repeated request with the same key and body gets the first answer. */
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

/** Reserves the allowance and stores the project, its links and the answer, in one transaction. */
export async function createProject<T>(context: Context, creation: Creation<T>, call: CallContext): Promise<T> {
  const { order, repeat, format } = creation;
  if (!repeat) return await context.store.withSession(session => create(context, creation, { session, ...call }));
  if (repeat.key.length > LIMITS.idempotencyKeyLength) {
    throw new DomainError('invalid', `Idempotency-Key must be at most ${LIMITS.idempotencyKeyLength} characters.`);
  }
  const request = { userId: order.ownerId, key: repeat.key, bodyHash: repeat.bodyHash.toString('hex') };
  return await context.store.withSession(async session => {
    const attempt = await context.store.idempotency.begin(request, session);
    if (attempt.kind === 'replay') {
      const answer = openUnlessLost(context, attempt.sealedAnswer, sealedFor.answer(order.ownerId, repeat.key));
      if (!answer) throw lostAnswer(attempt.projectId);
      return format.decode(answer);
    }
    try {
      return await create(context, creation, { session, ...call, attempt });
    } catch (error) {
      await attempt
        .abandon()
        .catch(cause => call.log.warn({ err: cause }, 'An idempotency key stays until its lease ends'));
      throw error;
    }
  });
}

async function create<T>(
  context: Context,
  { order, repeat, format, now }: Creation<T>,
  { session, signal, attempt }: { session: ClientSession; signal: AbortSignal; attempt?: Attempt },
): Promise<T> {
  const { store, secrets } = context;
  const made = makeProject(context, order, now);
  const work = async () => {
    // Writes the user first: when two creations run at the limit of an allowance, one waits here and has written
    // nothing.
    const user = await store.users.reserve(order.ownerId, made.reserves, session);
    await store.projects.insert(made.project, made.dashboardHash, session);
    const first = await insertLinks(context, made, session);
    const answer = format.make({ ...made, user, first });
    if (attempt && repeat) {
      const sealed = secrets.seal(format.encode(answer), sealedFor.answer(order.ownerId, repeat.key));
      await attempt.finish(sealed, made.project._id);
    }
    return answer;
  };
  return await store.transact(session, work, { signal });
}

/** Inserts all links. Returns the first unique links; clients read the others in pages. */
async function insertLinks(context: Context, made: NewProject, session: ClientSession): Promise<MintedLink[]> {
  const { links } = context.store;
  if (made.shared) await links.insertMany([made.shared], session);
  let first: MintedLink[] | undefined;
  for (const minted of mintUnique(context, made)) {
    await links.insertMany(minted, session);
    first ??= minted;
  }
  return first ?? [];
}

// Not a conflict, because clients retry conflicts and this answer is lost for good.
const lostAnswer = (projectId: string) =>
  new DomainError(
    'unprocessable',
    `This Idempotency-Key made the project ${projectId}, whose first answer cannot be shown any more: go on with that project, or use a new key for another one.`,
  );
