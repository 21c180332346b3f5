import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import { wordsOf } from '@recording-request/kit/search-pattern';
import { withSlot } from '@recording-request/kit/with-slot';
import { isOutOfTime } from '@recording-request/kit-mongo/mongo';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { ListProjectsRequest, ListProjectsResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { toProjectSummary } from './project-messages.ts';

// A summary has at most 1 KB, so a page is far below the size limit of a message.
const PAGE_MAX = 500;

export const listProjects =
  (context: Context) =>
  async (
    { ownerId, pageSize, cursor, search = '' }: ListProjectsRequest,
    { signal }: CallContext,
  ): Promise<ListProjectsResponse> => {
    if (cursor !== undefined && !isUuid(cursor))
      throw new DomainError('invalid', 'cursor must be a nextCursor that an earlier page gave, unchanged.');
    const size = Math.max(1, Math.min(pageSize ?? PAGE_MAX, PAGE_MAX));
    return await withSlot(context.lists, ownerId, signal, () => {
      const words = wordsOf(search, LIMITS.searchWords);
      return listPage(context, ownerId, { size, after: cursor, words });
    });
  };

async function listPage(
  { store, clock }: Context,
  ownerId: string,
  { size, after, words }: { size: number; after: string | undefined; words: string[] },
): Promise<ListProjectsResponse> {
  // Reads one more than requested, to find out whether another page follows.
  const { projects } = store;
  const rows = await (words.length === 0
    ? projects.pageOf(ownerId, after, size + 1)
    : projects.search(ownerId, { after, words }, size + 1).catch(refuseLongSearch));
  const shown = rows.slice(0, size);
  const sums = await store.links.sums(
    ownerId,
    shown.map(project => project._id),
  );
  const now = clock.now();
  return {
    summaries: shown.map(project => toProjectSummary(project, sums.get(project._id), now)),
    nextCursor: rows.length > size ? shown.at(-1)!._id : undefined,
  };
}

function refuseLongSearch(error: unknown): never {
  if (!isOutOfTime(error)) throw error;
  throw new DomainError('unavailable', 'The search took too long; look for rarer words.', { cause: error });
}
