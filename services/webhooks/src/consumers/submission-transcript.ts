import { PoisonError } from '@recording-request/kit/kafka-consumer';
import type { Event, SubmissionTranscript } from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';
import { recordEvent } from '../workflows/record-event.ts';

/** submission.transcript.completed, submission.transcript.failed. */
export const onSubmissionTranscript =
  (context: Context) =>
  async (event: Event, { submission }: SubmissionTranscript, signal: AbortSignal): Promise<void> => {
    if (!submission?.projectId) throw new PoisonError(`${event.type} names no submission`);
    await recordEvent(context, event, submission, signal);
  };
