import type { TakeJobRequest, TakeJobResponse } from '@recording-request/proto/work/v1/work';
import type { Context } from '../../context.ts';
import { toJob } from '../../messages.ts';
import { createTakeJob } from '../../workflows/jobs/take-job.ts';
import { takerOf } from './claim-of.ts';

export const takeJob = (context: Context) => {
  const take = createTakeJob(context);
  return async (request: TakeJobRequest): Promise<TakeJobResponse> => {
    const taken = await take({ ...takerOf(request), again: request.again });
    const leaseMs = context.config.jobLeaseSeconds * 1_000;
    return taken
      ? { ...toJob(taken), leaseMs }
      : { job: undefined, leaseMs, earlierRuns: 0, askedIn: undefined, landedIn: undefined };
  };
};
