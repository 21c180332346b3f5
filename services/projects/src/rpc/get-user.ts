import type { GetUserRequest, GetUserResponse } from '@recording-request/proto/accounts/v1/accounts';
import type { Context } from '../context.ts';
import { noSuchUser } from '../domain/user.ts';
import { toUser } from './account-messages.ts';

export const getUser =
  ({ store }: Context) =>
  async (request: GetUserRequest): Promise<GetUserResponse> => {
    const user = await store.users.find(request.userId);
    if (!user) throw noSuchUser();
    return { user: toUser(user) };
  };
