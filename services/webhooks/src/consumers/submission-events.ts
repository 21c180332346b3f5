import type { Kafka } from '@recording-request/events/kafka';
import type { Consumer } from '@recording-request/kit/kafka-consumer';
import type { RecordDeps } from '../workflows/record-event.ts';
import { onSubmissionCompleted } from './submission-completed.ts';
import { onSubmissionErased } from './submission-erased.ts';
import { onSubmissionTranscript } from './submission-transcript.ts';

// Recording an event is an RPC and a few writes; sending it is not waited for.
const JOB_LIMIT_MS = 20_000;

/** Takes the events that owners are told of. */
export function consumeSubmissionEvents(kafka: Kafka, concurrency: number, deps: RecordDeps): Promise<Consumer> {
  return kafka.consume({
    topic: 'submissions.events',
    group: 'webhooks',
    concurrency,
    jobLimitMs: JOB_LIMIT_MS,
    async handle(event, { signal }) {
      switch (event.payload?.$case) {
        case 'submissionCompleted':
          return onSubmissionCompleted(event, event.payload.value, deps, signal);
        case 'submissionTranscript':
          return onSubmissionTranscript(event, event.payload.value, deps, signal);
        case 'submissionErased':
          return onSubmissionErased(event.payload.value, deps.store.ledger);
        default:
          // A type of a later version, which is not for this service.
          return;
      }
    },
  });
}
