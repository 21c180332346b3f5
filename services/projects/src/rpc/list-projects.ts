import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import { withSlot } from '@recording-request/kit/with-slot';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { ListProjectsRequest, ListProjectsResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { toProjectSummary } from './project-messages.ts';

// A summary has at most 1 KB, so a page is far below the size limit of a message.
const PAGE_MAX = 500;

export const listProjects =
  (context: Context) =>
  async (
    { ownerId, pageSize, cursor }: ListProjectsRequest,
    { signal }: CallContext,
  ): Promise<ListProjectsResponse> => {
    if (cursor !== undefined && !isUuid(cursor))
      throw new DomainError('invalid', 'cursor must be a next_cursor that an earlier page gave, unchanged.');
    const size = Math.max(1, Math.min(pageSize ?? PAGE_MAX, PAGE_MAX));
    return await withSlot(context.lists, ownerId, signal, () => listPage(context, ownerId, { size, after: cursor }));
  };

async function listPage(
  { store, clock }: Context,
  ownerId: string,
  { size, after }: { size: number; after: string | undefined },
): Promise<ListProjectsResponse> {
  // Reads one more than requested, which shows whether another page follows.
  const rows = await store.projects.pageOf(ownerId, after, size + 1);
  const page = rows.slice(0, size);
  const sums = await store.links.sums(
    ownerId,
    page.map(project => project._id),
  );
  const now = clock.now();
  return {
    summaries: page.map(project => toProjectSummary(project, sums.get(project._id), now)),
    nextCursor: rows.length > size ? page.at(-1)!._id : undefined,
  };
}
