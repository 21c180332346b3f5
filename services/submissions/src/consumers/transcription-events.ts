import type { ConsumerOptions } from '@recording-request/events/kafka';
import type { Context } from '../context.ts';
import { onTranscriptEnded, onTranscriptStarted } from '../domain/submission-changes.ts';

const LIMIT_MS = 30_000;

/** transcript.started, transcript.completed and transcript.failed. */
export const transcriptionEvents = ({ submissions }: Pick<Context, 'submissions'>): ConsumerOptions => ({
  topic: 'transcription.events',
  group: 'submissions-transcripts',
  concurrency: 1,
  jobLimitMs: LIMIT_MS,
  async handle({ payload }) {
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
  },
});
