import type { EraseUserRequest, EraseUserResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { eraseUser as erase, tallyUser } from '../workflows/erase-user.ts';

export const eraseUser =
  (context: Context) =>
  async ({ userId, dryRun }: EraseUserRequest): Promise<EraseUserResponse> =>
    dryRun ? await tallyUser(context, userId) : await erase(context, userId);
