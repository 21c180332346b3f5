import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit/grpc-server';
import { type CreateProjectRequest, CreateProjectResponse } from '@recording-request/proto/projects/v1/projects';
import { type Context, checkHash, sealedFor } from '../context.ts';
import { LIMITS } from '../domain/settings-rules.ts';
import type { User } from '../domain/user.ts';
import type { Attempt } from '../store/idempotency.ts';
import { makeProject, type NewProject } from '../workflows/new-project.ts';
import { toUser } from './account-messages.ts';
import { mapInTurns, toLinkWith, toProject } from './project-messages.ts';

/** Reserves the allowance, stores the project, its links and the remembered answer: all in one transaction or none. */
export const createProject =
  (context: Context) =>
  async (request: CreateProjectRequest, call: CallContext): Promise<CreateProjectResponse> => {
    const now = new Date();
    if (request.idempotencyKey === '') return await create(context, request, now, call.signal);
    const begun = await begin(context, request, now);
    if (begun.kind === 'replay') {
      const owner = sealedFor.answer(request.ownerId, request.idempotencyKey);
      return CreateProjectResponse.decode(context.secrets.open(begun.sealedAnswer, owner));
    }
    try {
      return await create(context, request, now, call.signal, begun);
    } catch (error) {
      await begun
        .abandon()
        .catch(cause => call.log.warn({ err: cause }, 'An idempotency key stays until its lease ends'));
      throw error;
    }
  };

async function begin(context: Context, request: CreateProjectRequest, now: Date) {
  const { ownerId, idempotencyKey } = request;
  if (idempotencyKey.length > LIMITS.idempotencyKey) {
    throw new DomainError('invalid', `Idempotency-Key must be at most ${LIMITS.idempotencyKey} characters.`);
  }
  const hash = checkHash('body_hash', request.bodyHash).toString('hex');
  return await context.store.idempotency.begin(ownerId, idempotencyKey, hash, now);
}

async function create(
  context: Context,
  request: CreateProjectRequest,
  now: Date,
  signal: AbortSignal,
  attempt?: Attempt,
): Promise<CreateProjectResponse> {
  const made = await makeProject(context, request, now);
  const { store } = context;
  return await store.transaction(async session => {
    // The user first: of two creations at the edge of an allowance, one waits here and writes nothing.
    const user = await store.users.reserve(request.ownerId, made.reserves, session);
    await store.projects.insert(made.project, made.dashboardHash, session);
    const links = made.unique.map(entry => entry.link);
    await store.links.insertMany(made.shared ? [made.shared.link, ...links] : links, session);
    const answer = await answerOf(made, user, now);
    if (attempt) await attempt.finish(seal(context, request, answer), made.project._id, session);
    return answer;
  }, signal);
}

function seal({ secrets }: Context, request: CreateProjectRequest, answer: CreateProjectResponse): string {
  const bytes = CreateProjectResponse.encode(answer).finish();
  return secrets.seal(bytes, sealedFor.answer(request.ownerId, request.idempotencyKey));
}

async function answerOf(made: NewProject, user: User, now: Date): Promise<CreateProjectResponse> {
  const { project, shared, unique } = made;
  const sharedUses = shared?.link.maxUses ?? 0;
  const sums = {
    unique: { links: unique.length, capacity: unique.length, used: 0, open: unique.length },
    shared: { links: shared ? 1 : 0, capacity: sharedUses, used: 0, open: sharedUses },
  };
  return {
    project: toProject(project, sums, now),
    projectToken: made.projectToken,
    sharedLink: shared && toLinkWith(shared.token, shared.link, project.expiresAt, now),
    uniqueLinks: await mapInTurns(unique, ({ token, link }) => toLinkWith(token, link, project.expiresAt, now)),
    user: toUser(user),
    reservedVideoCount: made.reserves,
  };
}
