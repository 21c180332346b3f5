import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { Context } from '../context.ts';
import { SHARED_POSITION } from '../domain/link.ts';
import type { User } from '../domain/user.ts';
import { projectCreated } from '../messages.ts';
import type { ClientSession } from '../store/transaction.ts';
import { type AnswerFormat, answerOnce, type RepeatKey, type Run } from './answer-once.ts';
import { insertUnique, type MintedLink } from './mint-links.ts';
import { makeProject, type NewProject, type ProjectOrder } from './new-project.ts';

export interface CreatedProject extends NewProject {
  /** The owner after the reservation. */
  user: User;
  /** The first unique links of the project. */
  first: MintedLink[];
}

export interface Creation<T> {
  order: ProjectOrder;
  repeat: RepeatKey | undefined;
  format: AnswerFormat<CreatedProject, T>;
  now: Date;
}

/**
 * Reserves the allowance and stores the project, its links and the result for repeated requests, in one transaction.
 */
export async function createProject<T>(context: Context, creation: Creation<T>, call: CallContext): Promise<T> {
  const { order, repeat, format } = creation;
  const request = { ownerId: order.ownerId, repeat, format, lost: lostAnswer };
  return await answerOnce(context, request, call, async run => ({
    answer: await create(context, creation, run),
    remembered: true,
  }));
}

async function create<T>(context: Context, { order, format, now }: Creation<T>, run: Run<T>): Promise<T> {
  const { store } = context;
  const { session, signal } = run;
  const made = makeProject(context, order, now);
  const work = async () => {
    // Writes the user first: if two creations compete for the last videos of an allowance, one waits here, before it
    // has written anything else.
    const { sandboxEndsAt: endsAt } = made.project;
    const user = endsAt
      ? await store.users.addSandbox(order.ownerId, { now, endsAt }, session)
      : await store.users.reserve(order.ownerId, made.reserves, session);
    await store.projects.insert(
      made.project,
      { dashboardHash: made.dashboardHash, created: projectCreated(made.project) },
      session,
    );
    const first = await insertLinks(context, made, session);
    const answer = format.make({ ...made, user, first });
    await run.remember(answer, made.project._id);
    return answer;
  };
  return await store.transact(session, work, { signal });
}

/** Inserts all links. Returns the first unique links; clients read the others in pages. */
async function insertLinks(context: Context, made: NewProject, session: ClientSession): Promise<MintedLink[]> {
  if (made.shared) await context.store.links.insertMany([made.shared], session);
  return await insertUnique(context, { ...made, after: SHARED_POSITION, now: () => made.project.createdAt }, session);
}

// Does not use `conflict`: clients retry conflicts, but this result is permanently lost.
const lostAnswer = (projectId: string) =>
  new DomainError(
    'unprocessable',
    `This Idempotency-Key made the project ${projectId}, whose first answer cannot be shown any more: go on with that project, or use a new key for another one.`,
  );
