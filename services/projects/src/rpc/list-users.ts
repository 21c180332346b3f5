import { DomainError } from '@recording-request/kit/errors';
import type { ListUsersRequest, ListUsersResponse } from '@recording-request/proto/operator/v1/projects';
import type { Context } from '../context.ts';
import { toUser } from './account-messages.ts';

const PAGE = { default: 100, max: 1_000 };

export const listUsers =
  ({ store }: Context) =>
  async (request: ListUsersRequest): Promise<ListUsersResponse> => {
    if (request.pageSize > PAGE.max) throw new DomainError('invalid', `page_size must be at most ${PAGE.max}.`);
    const users = await store.users.list(request.afterUserId, request.pageSize || PAGE.default);
    return { users: users.map(toUser) };
  };
