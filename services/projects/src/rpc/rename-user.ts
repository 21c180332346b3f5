import type { RenameUserRequest, RenameUserResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { noSuchUser, userNameOf } from '../domain/user.ts';
import { toUser } from './account-messages.ts';

export const renameUser =
  ({ store }: Context) =>
  async ({ userId, userName }: RenameUserRequest): Promise<RenameUserResponse> => {
    const user = await store.users.rename(userId, userNameOf(userName));
    if (!user) throw noSuchUser();
    return { user: toUser(user) };
  };
