import { PoisonError } from '@recording-request/kit-kafka/consumer';
import type { Event, SubmissionCompleted } from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';
import { aboutSubmission, recordEvent } from '../workflows/record-event.ts';

/** Handles submission.completed. */
export const onSubmissionCompleted =
  (context: Context) =>
  async (event: Event, { submission }: SubmissionCompleted): Promise<void> => {
    if (!submission?.projectId) throw new PoisonError(`${event.type} names no submission`);
    await recordEvent(context, event, aboutSubmission(context, event.type, submission));
  };
