import type { Context } from '../context.ts';
import { noSuchUser, tokenIsLive } from '../domain/user.ts';

export interface ErasedUser {
  tokensRevoked: number;
  /** The projects that the caller must erase first. */
  projectIds: string[];
  /** True if the user is erased. */
  done: boolean;
  erasedBeforeAt: Date | undefined;
}

type Deps = Pick<Context, 'store' | 'clock'>;

const PROJECTS = 1_000;

/**
 * Removes the tokens first, so that nothing new is created. Removes the user after the caller has erased every project.
 */
export async function eraseUser({ store, clock }: Deps, userId: string): Promise<ErasedUser> {
  const now = clock.now();
  const { erasedBeforeAt } = await find(store, userId);
  await store.users.close(userId, now);
  const tokensRevoked = await store.tokens.revokeAll(userId, now);
  const projectIds = await store.projects.idsOf(userId, PROJECTS);
  const done = projectIds.length === 0;
  if (done) await store.erasures.removeUser(userId, now);
  return { tokensRevoked, projectIds, done, erasedBeforeAt };
}

/** Returns what `eraseUser` would do now. */
export async function tallyUser({ store, clock }: Deps, userId: string): Promise<ErasedUser> {
  const now = clock.now();
  const { user, erasedBeforeAt } = await find(store, userId);
  const live = (await store.tokens.listOf(userId)).filter(token => tokenIsLive(token, now));
  const projectIds = await store.projects.idsOf(userId, PROJECTS);
  return { tokensRevoked: live.length, projectIds, done: !user, erasedBeforeAt };
}

/** Fails with `not_found` for a user that does not exist and was not erased. */
async function find(store: Deps['store'], userId: string) {
  const before = await store.erasures.find('user', userId);
  const user = await store.users.find(userId);
  if (!user && !before) throw noSuchUser();
  return { user, erasedBeforeAt: before?.at };
}
