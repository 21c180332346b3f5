import type { GiveBackJobRequest, GiveBackJobResponse } from '@recording-request/proto/work/v1/work';
import type { Context } from '../../context.ts';
import { giveBackJob as giveBack } from '../../workflows/jobs/take-job.ts';
import { claimOf } from './claim-of.ts';

const PROBLEM_MAX = 500;

export const giveBackJob =
  (context: Context) =>
  async (request: GiveBackJobRequest): Promise<GiveBackJobResponse> => {
    const { key, claim } = claimOf(request);
    const { uncounted, afterMs, atOnce } = request;
    await giveBack(context, key, claim, { uncounted, afterMs, atOnce, problem: request.problem.slice(0, PROBLEM_MAX) });
    return {};
  };
