import type { Consumer } from '@recording-request/kit-kafka/consumer';
import type { Context } from '../context.ts';
import { onProjectErased } from './project-erased.ts';
import { onSubmissionCompleted } from './submission-completed.ts';
import { onSubmissionErased } from './submission-erased.ts';
import { onLongTranscript, onSubmissionTranscript } from './submission-transcript.ts';

// Recording an event takes one RPC and a few writes, and does not wait for the delivery attempt.
const JOB_LIMIT_MS = 20_000;

/** Consumes the submission events that owners receive, and the events of erasures. */
export function consumeSubmissionEvents(context: Context): Promise<Consumer> {
  const submissionCompleted = onSubmissionCompleted(context);
  const submissionTranscript = onSubmissionTranscript(context);
  const longTranscript = onLongTranscript(context);
  const submissionErased = onSubmissionErased(context);
  const projectErased = onProjectErased(context);
  return context.kafka.consume({
    topic: 'submissions.events',
    group: 'webhooks',
    concurrency: context.config.consumers,
    jobLimitMs: JOB_LIMIT_MS,
    async handle(event, { signal }) {
      switch (event.payload?.$case) {
        case 'submissionCompleted':
          return submissionCompleted(event, event.payload.value);
        case 'submissionTranscript':
          return submissionTranscript(event, event.payload.value);
        case 'submissionTranscriptByReference':
          return longTranscript(event, event.payload.value, signal);
        case 'submissionErased':
          return submissionErased(event.payload.value);
        case 'projectErased':
          return projectErased(event.payload.value);
        default:
          // A newer producer may publish types that this version does not send.
          return;
      }
    },
  });
}
