import type { ConsumerOptions } from '@recording-request/events/kafka';
import { type Consumer, PoisonError } from '@recording-request/kit/kafka-consumer';
import type { Context } from '../context.ts';
import { type TranscribeDeps, transcribe } from '../workflows/transcribe.ts';

/** submission.transcript.requested. When `giveUp` fires, running jobs end and are left to another process. */
export const consumeTranscriptRequests = (context: Context, giveUp: AbortSignal): Promise<Consumer> => {
  const handle = onTranscriptRequested(context);
  return context.kafka.consume({
    topic: 'transcription.work',
    group: 'transcription',
    concurrency: context.config.concurrency,
    jobLimitMs: context.config.jobSeconds * 1000,
    handle: (event, { signal, log }) => handle(event, { signal: AbortSignal.any([signal, giveUp]), log }),
  });
};

export const onTranscriptRequested =
  (deps: TranscribeDeps): ConsumerOptions['handle'] =>
  async ({ id, type, payload }, { signal, log }) => {
    if (payload?.$case !== 'transcriptRequested') throw new PoisonError(`${type} does not request a transcript`);
    await transcribe(deps, id, payload.value, { signal, log: log.child({ submission: payload.value.submissionId }) });
  };
