import type { SubmissionErased } from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';

/** submission.erased: the ledger keeps that there were deliveries, and deletes their bodies. */
export const onSubmissionErased =
  ({ clock, store }: Pick<Context, 'clock' | 'store'>) =>
  async ({ projectId, submissionId }: SubmissionErased): Promise<void> => {
    await store.ledger.erase(projectId, submissionId, clock.now());
  };
