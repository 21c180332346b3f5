import type { ShowUserRequest, ShowUserResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { noSuchUser, tokenIsLive } from '../domain/user.ts';
import { toUser } from './account-messages.ts';

export const showUser =
  ({ store, clock }: Context) =>
  async ({ userId }: ShowUserRequest): Promise<ShowUserResponse> => {
    const user = await store.users.find(userId);
    if (!user) throw noSuchUser();
    const [tokens, projects] = await Promise.all([store.tokens.listOf(userId), store.projects.countOf(userId)]);
    const now = clock.now();
    const uses = tokens.flatMap(({ lastUsedAt }) => (lastUsedAt ? [lastUsedAt.getTime()] : []));
    return {
      user: toUser(user),
      projects,
      tokens: tokens.length,
      liveTokens: tokens.filter(token => tokenIsLive(token, now)).length,
      lastUsedAt: uses.length > 0 ? new Date(Math.max(...uses)) : undefined,
    };
  };
