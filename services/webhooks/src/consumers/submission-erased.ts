import type { SubmissionErased } from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';
import { eraseEvents } from '../workflows/erase-events.ts';

/** Handles submission.erased: deletes the bodies of the deliveries and the data of the feed, and keeps their records. */
export const onSubmissionErased =
  (context: Pick<Context, 'clock' | 'store'>) =>
  async ({ projectId, submissionId }: SubmissionErased): Promise<void> => {
    await eraseEvents(context, { projectId, submissionId });
  };
