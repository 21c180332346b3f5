import type { RenewJobRequest, RenewJobResponse } from '@recording-request/proto/work/v1/work';
import type { Context } from '../../context.ts';
import { renewJob as renew } from '../../workflows/jobs/take-job.ts';
import { claimOf } from './claim-of.ts';

export const renewJob =
  (context: Context) =>
  async (request: RenewJobRequest): Promise<RenewJobResponse> => {
    const { key, claim } = claimOf(request);
    return { held: await renew(context, key, claim, request.reported) };
  };
