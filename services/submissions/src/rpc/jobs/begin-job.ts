import { type BeginJobRequest, type BeginJobResponse, Verdict } from '@recording-request/proto/work/v1/work';
import type { Context } from '../../context.ts';
import { beginJob as begin } from '../../workflows/jobs/claim-job.ts';
import { claimOf } from './claim-of.ts';

export const beginJob =
  (context: Context) =>
  async (request: BeginJobRequest): Promise<BeginJobResponse> => {
    const { key, claim } = claimOf(request);
    const verdict = await begin(context, key, claim);
    const answer = { leaseMs: context.config.jobLeaseSeconds * 1_000, laterMs: 0 };
    if (typeof verdict === 'object') return { ...answer, verdict: Verdict.VERDICT_LATER, laterMs: verdict.laterMs };
    return { ...answer, verdict: verdict === 'go' ? Verdict.VERDICT_GO : Verdict.VERDICT_DROP };
  };
