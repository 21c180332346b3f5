import { PoisonError } from '@recording-request/kit-kafka/consumer';
import type { Event, SubmissionTranscript } from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';
import { aboutSubmission, recordEvent } from '../workflows/record-event.ts';

/** Handles submission.transcript.completed and submission.transcript.failed. */
export const onSubmissionTranscript =
  (context: Context) =>
  async (event: Event, { submission }: SubmissionTranscript): Promise<void> => {
    if (!submission?.projectId) throw new PoisonError(`${event.type} names no submission`);
    await recordEvent(context, event, aboutSubmission(context, event.type, submission));
  };

/**
 * Handles a submission.transcript.completed without its texts. Reads the texts from the submissions service; they do
 * not change after the event.
 */
export const onLongTranscript =
  (context: Context) =>
  async (event: Event, { submission }: SubmissionTranscript, signal: AbortSignal): Promise<void> => {
    if (!submission?.projectId) throw new PoisonError(`${event.type} names no submission`);
    // An erased submission has no texts, so its event is not sent.
    const whole = async () => {
      const texts = await context.transcripts.of(submission, signal);
      return texts && { ...submission, ...texts };
    };
    await recordEvent(context, event, aboutSubmission(context, event.type, submission, whole));
  };
