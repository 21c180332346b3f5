import type { TakeJobRequest, TakeJobResponse } from '@recording-request/proto/work/v1/work';
import type { Context } from '../../context.ts';
import { toEvent } from '../../messages.ts';
import { takeJob as take } from '../../workflows/jobs/claim-job.ts';
import { takerOf } from './claim-of.ts';

export const takeJob =
  (context: Context) =>
  async (request: TakeJobRequest): Promise<TakeJobResponse> => {
    const taken = await take(context, takerOf(request));
    return { event: taken && toEvent(taken), leaseMs: context.config.jobLeaseSeconds * 1_000 };
  };
