import { PoisonError } from '@recording-request/kit/kafka-consumer';
import type { Event, SubmissionCompleted } from '@recording-request/proto/events/v1/events';
import { type RecordDeps, recordEvent } from '../workflows/record-event.ts';

/** submission.completed: a clip landed. */
export async function onSubmissionCompleted(
  event: Event,
  { submission }: SubmissionCompleted,
  deps: RecordDeps,
  signal: AbortSignal,
): Promise<void> {
  if (!submission?.projectId) throw new PoisonError(`${event.type} tells of no submission`);
  await recordEvent(event, submission, deps, signal);
}
