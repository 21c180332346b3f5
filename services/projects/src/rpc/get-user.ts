import type { GetUserRequest, GetUserResponse } from '@recording-request/proto/accounts/v1/accounts';
import { type Context, noSuchUser } from '../context.ts';
import { toUser } from './account-messages.ts';

export const getUser =
  ({ store }: Context) =>
  async (request: GetUserRequest): Promise<GetUserResponse> => {
    const user = await store.users.find(request.userId);
    if (!user) throw noSuchUser();
    return { user: toUser(user) };
  };
