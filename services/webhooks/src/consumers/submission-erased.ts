import type { SubmissionErased } from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';

/** Handles submission.erased: deletes the bodies of the deliveries and keeps their records. */
export const onSubmissionErased =
  ({ clock, store }: Pick<Context, 'clock' | 'store'>) =>
  async ({ projectId, submissionId }: SubmissionErased): Promise<void> => {
    await store.ledger.erase(projectId, submissionId, clock.now());
  };
