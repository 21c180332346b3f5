import type { ListApiTokensRequest, ListApiTokensResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { noSuchUser } from '../domain/user.ts';
import { toApiToken } from './account-messages.ts';

export const listApiTokens =
  ({ store }: Context) =>
  async (request: ListApiTokensRequest): Promise<ListApiTokensResponse> => {
    if (!(await store.users.find(request.userId))) throw noSuchUser();
    const tokens = await store.tokens.listOf(request.userId);
    return { tokens: tokens.map(toApiToken) };
  };
