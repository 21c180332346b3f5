import { type JobRequest, startWorker } from '@recording-request/events/worker';
import type { Logger } from '@recording-request/kit/log';
import { type Consumer, PoisonError } from '@recording-request/kit-kafka/consumer';
import type { Event } from '@recording-request/proto/events/v1/events';
import { JobKind } from '@recording-request/proto/work/v1/work';
import type { Context } from '../context.ts';
import { transcribe } from '../workflows/transcribe.ts';

/** submission.transcript.requested. `stopGraceMs`: how long a stop lets running jobs go on. */
export const consumeTranscriptRequests = (context: Context, stopGraceMs: number, log: Logger): Promise<Consumer> =>
  startWorker({
    ...{ kafka: context.kafka, claims: context.claims, stopGraceMs, log },
    ...{ topic: 'transcription.work', group: 'transcription', kind: JobKind.JOB_KIND_TRANSCRIPT },
    slots: context.config.concurrency,
    jobLimitMs: context.config.jobSeconds * 1000,
    read: event => onTranscriptRequested(context, event),
  });

function onTranscriptRequested(context: Context, { id, type, payload }: Event): JobRequest {
  if (payload?.$case !== 'transcriptRequested') throw new PoisonError(`${type} does not request a transcript`);
  const request = payload.value;
  const { projectId, submissionId } = request;
  const job = { projectId, submissionId, kind: JobKind.JOB_KIND_TRANSCRIPT, requestNumber: request.requestNumber };
  return { job, work: options => transcribe(context, id, request, options) };
}
