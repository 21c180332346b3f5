import { PoisonError } from '@recording-request/kit/kafka-consumer';
import type { Event, SubmissionTranscript } from '@recording-request/proto/events/v1/events';
import { type RecordDeps, recordEvent } from '../workflows/record-event.ts';

/** submission.transcript.completed, submission.transcript.failed. */
export async function onSubmissionTranscript(
  event: Event,
  { submission }: SubmissionTranscript,
  deps: RecordDeps,
  signal: AbortSignal,
): Promise<void> {
  if (!submission?.projectId) throw new PoisonError(`${event.type} tells of no submission`);
  await recordEvent(event, submission, deps, signal);
}
