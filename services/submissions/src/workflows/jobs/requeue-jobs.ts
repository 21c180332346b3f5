import type { Context } from '../../context.ts';
import { onJobOverdue } from '../../domain/jobs/job-changes.ts';
import { mapSettled } from '../map-settled.ts';
import { limitsOf } from './take-job.ts';

type RequeueContext = Pick<Context, 'config' | 'submissions' | 'jobs'>;

const BATCH = 100;

/**
 * Returns a function that requeues jobs whose worker has died or whose result is overdue. Every replica calls it, and
 * every turn can be repeated. Requeues nothing for one lease after the start, so that live workers can renew. Waits in
 * the same way if no turn has ended for longer than a lease, because then this process or the database was stopped.
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
