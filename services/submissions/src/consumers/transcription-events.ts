import type { ConsumerOptions } from '@recording-request/events/kafka';
import { readTranscript } from '../adapters/stored-transcript.ts';
import type { Context } from '../context.ts';
import { onTranscriptEnded } from '../domain/clips/submission-changes.ts';

const LIMIT_MS = 30_000;

/** Consumes transcript.completed and transcript.failed. */
export const transcriptionEvents = ({
  submissions,
  objects,
}: Pick<Context, 'submissions' | 'objects'>): ConsumerOptions => ({
  topic: 'transcription.events',
  group: 'submissions-transcripts',
  concurrency: 1,
  jobLimitMs: LIMIT_MS,
  async handle({ payload }, { signal }) {
    switch (payload?.$case) {
      case 'transcriptCompleted':
        await submissions.change(payload.value, submission =>
          onTranscriptEnded(submission, payload.value.requestNumber, payload.value),
        );
        break;
      case 'transcriptStored': {
        const { key, requestNumber } = payload.value;
        // The transcript is missing when it was already recorded, or erased.
        const transcript = await readTranscript(objects, key, signal);
        if (transcript)
          await submissions.change(payload.value, submission =>
            onTranscriptEnded(submission, requestNumber, transcript),
          );
        await objects.remove([key]);
        break;
      }
      case 'transcriptFailed': {
        const { requestNumber, reason, clipAtFault } = payload.value;
        const failure = { reason, fault: clipAtFault ? 'clip' : 'service' } as const;
        await submissions.change(payload.value, submission => onTranscriptEnded(submission, requestNumber, failure));
        break;
      }
    }
  },
});
