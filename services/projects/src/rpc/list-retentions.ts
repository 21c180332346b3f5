import { DomainError } from '@recording-request/kit/errors';
import type { ListRetentionsRequest, ListRetentionsResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';

const PAGE_MAX = 1_000;

export const listRetentions =
  ({ store }: Pick<Context, 'store'>) =>
  async ({ afterProjectId, pageSize }: ListRetentionsRequest): Promise<ListRetentionsResponse> => {
    if (pageSize < 1 || pageSize > PAGE_MAX)
      throw new DomainError('invalid', `page_size must be at least 1 and at most ${PAGE_MAX}.`);
    const rows = await store.projects.retentions(afterProjectId, pageSize);
    return {
      retentions: rows.map(({ _id: projectId, ownerId, retentionDays: days }) => ({ projectId, ownerId, days })),
    };
  };
