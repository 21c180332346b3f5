import type { ConsumerOptions } from '@recording-request/events/kafka';
import { type Consumer, PoisonError } from '@recording-request/kit/kafka-consumer';
import { JobKind } from '@recording-request/proto/work/v1/work';
import type { Context } from '../context.ts';
import { type TranscribeDeps, transcribe } from '../workflows/transcribe.ts';

/** submission.transcript.requested. `stopGraceMs`: how long a stop lets running jobs go on. */
export const consumeTranscriptRequests = (context: Context, stopGraceMs: number): Promise<Consumer> => {
  const handle = onTranscriptRequested(context);
  return context.kafka.consume({
    topic: 'transcription.work',
    group: 'transcription',
    concurrency: context.config.concurrency,
    jobLimitMs: context.config.jobSeconds * 1000,
    stopGraceMs,
    handle,
  });
};

export const onTranscriptRequested =
  ({ claims, ...deps }: TranscribeDeps & Pick<Context, 'claims'>): ConsumerOptions['handle'] =>
  async ({ id, type, payload }, { signal, log: parent }) => {
    if (payload?.$case !== 'transcriptRequested') throw new PoisonError(`${type} does not request a transcript`);
    const { value: request } = payload;
    const { projectId, submissionId, requestNumber } = request;
    const log = parent.child({ submission: submissionId });
    const job = { projectId, submissionId, kind: JobKind.JOB_KIND_TRANSCRIPT, requestNumber };
    await claims.run(job, { signal, log }, claimed => transcribe(deps, id, request, { signal: claimed, log }));
  };
