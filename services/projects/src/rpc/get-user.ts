import type { GetUserRequest, GetUserResponse } from '@recording-request/proto/accounts/v1/accounts';
import { toUser } from './account-messages.ts';
import { type Context, noSuchUser } from './context.ts';

export const getUser =
  ({ store }: Context) =>
  async (request: GetUserRequest): Promise<GetUserResponse> => {
    const user = await store.users.find(request.userId);
    if (!user) throw noSuchUser();
    return { user: toUser(user) };
  };
