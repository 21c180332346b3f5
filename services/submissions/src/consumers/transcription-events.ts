import type { ConsumerOptions } from '@recording-request/events/kafka';
import { onTranscriptEnded, onTranscriptStarted } from '../domain/submission.ts';
import type { SubmissionStore } from '../store/submissions.ts';

/** transcript.started, transcript.completed and transcript.failed. */
export function handleTranscriptionEvents(submissions: SubmissionStore): ConsumerOptions['handle'] {
  return async ({ payload }) => {
    switch (payload?.$case) {
      case 'transcriptStarted':
        await submissions.change(payload.value, submission =>
          onTranscriptStarted(submission, payload.value.requestNumber),
        );
        break;
      case 'transcriptCompleted':
        await submissions.change(payload.value, submission =>
          onTranscriptEnded(submission, payload.value.requestNumber, payload.value),
        );
        break;
      case 'transcriptFailed':
        await submissions.change(payload.value, submission =>
          onTranscriptEnded(submission, payload.value.requestNumber, { reason: payload.value.reason }),
        );
        break;
    }
  };
}
