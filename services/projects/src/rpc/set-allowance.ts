import type { SetAllowanceRequest, SetAllowanceResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { noSuchUser } from '../domain/user.ts';
import { toUser } from './account-messages.ts';

export const setAllowance =
  ({ store }: Context) =>
  async (request: SetAllowanceRequest): Promise<SetAllowanceResponse> => {
    const user = await store.users.setLimit(request.userId, request.videoLimit ?? null);
    if (!user) throw noSuchUser();
    return { user: toUser(user) };
  };
