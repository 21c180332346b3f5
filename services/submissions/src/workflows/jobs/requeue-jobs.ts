import type { Context } from '../../context.ts';
import { onJobOverdue } from '../../domain/jobs/job-changes.ts';
import { mapSettled } from '../map-settled.ts';
import { limitsOf } from './take-job.ts';

type RequeueContext = Pick<Context, 'config' | 'submissions' | 'jobs'>;

const BATCH = 100;

/**
 * Returns a turn that gives jobs to other workers whose worker is gone, or whose result does not come. Every replica runs it, and
 * every turn can be repeated. After a start, and where no turn ended for longer than a lease, because this process or the database
 * stood still, workers first have the time of a lease to renew their claims: they are still at work.
 */
export function createRequeue({ config, submissions, jobs }: RequeueContext): () => Promise<void> {
  const { attemptsMax, leaseMs } = limitsOf(config);
  let begunAt = performance.now();
  let endedAt = begunAt;
  return async () => {
    if (performance.now() - endedAt > leaseMs) begunAt = performance.now();
    const now = await jobs.now();
    if (performance.now() - begunAt > leaseMs) {
      const overdue = await jobs.overdue(now, BATCH);
      await mapSettled(overdue, key =>
        submissions.change(key, submission => onJobOverdue(submission, { attemptsMax }, now)),
      );
    }
    endedAt = performance.now();
  };
}
