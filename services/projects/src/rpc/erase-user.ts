import type { EraseUserRequest, EraseUserResponse } from '@recording-request/proto/operator/v1/projects';
import { type Context, noSuchUser } from '../context.ts';
import { tokenIsLive } from '../domain/user.ts';

const PROJECTS = 1_000;

/** Tokens first, so that nothing new comes; the user last, when the caller has had every project erased. */
export const eraseUser =
  ({ store }: Context) =>
  async ({ userId, dryRun }: EraseUserRequest): Promise<EraseUserResponse> => {
    const now = new Date();
    const before = await store.erasures.find('user', userId);
    const user = await store.users.find(userId);
    if (!user && !before) throw noSuchUser();
    const erasedBeforeAt = before?.at;
    if (dryRun) {
      const live = (await store.tokens.listOf(userId)).filter(token => tokenIsLive(token, now));
      const projectIds = await store.projects.idsOf(userId, PROJECTS);
      return { tokensRevoked: live.length, projectIds, done: !user, erasedBeforeAt };
    }
    await store.users.close(userId, now);
    const tokensRevoked = await store.tokens.revokeAll(userId, now);
    const projectIds = await store.projects.idsOf(userId, PROJECTS);
    const done = projectIds.length === 0;
    if (done) await store.erasures.removeUser(userId, now);
    return { tokensRevoked, projectIds, done, erasedBeforeAt };
  };
