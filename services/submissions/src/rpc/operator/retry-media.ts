import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';
import type { RetryMediaRequest, RetryMediaResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { retryMedia as retry } from '../../workflows/clips/retry-media.ts';

export const retryMedia =
  (context: Pick<Context, 'submissions' | 'jobs'>) =>
  async (request: RetryMediaRequest, { signal }: { signal: AbortSignal }): Promise<RetryMediaResponse> => {
    const { from, to, failed, withError, dryRun, cursor } = request;
    if (!from || !to || from >= to)
      throw new DomainError('invalid', 'from and to must be times, from the earlier one.');
    if (!failed && !withError) throw new DomainError('invalid', 'failed, with_error or both must be true.');
    if (cursor !== '' && !isUuid(cursor))
      throw new DomainError('invalid', 'cursor must be a next_cursor that an earlier call gave, unchanged.');
    const { clips, lookedAt, next } = await retry(
      context,
      { from, to, failed, withError, dryRun, after: cursor },
      signal,
    );
    return { clips, lookedAt, nextCursor: next ?? '' };
  };
