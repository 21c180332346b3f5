import type { ListTokensRequest, ListTokensResponse } from '@recording-request/proto/accounts/v1/accounts';
import { type Context, noSuchUser } from '../context.ts';
import { toToken } from './account-messages.ts';

export const listTokens =
  ({ store }: Context) =>
  async (request: ListTokensRequest): Promise<ListTokensResponse> => {
    if (!(await store.users.find(request.userId))) throw noSuchUser();
    const tokens = await store.tokens.listOf(request.userId);
    return { tokens: tokens.map(toToken) };
  };
