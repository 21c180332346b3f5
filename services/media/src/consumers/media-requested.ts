import { type JobRequest, startWorker } from '@recording-request/events/worker';
import type { Logger } from '@recording-request/kit/log';
import { type Consumer, PoisonError } from '@recording-request/kit-kafka/consumer';
import type { Event } from '@recording-request/proto/events/v1/events';
import { JobKind } from '@recording-request/proto/work/v1/work';
import type { Context } from '../context.ts';
import { processClip } from '../workflows/process-clip.ts';

/** submission.media.requested. `stopGraceMs`: how long a stop lets running jobs go on. */
export const consumeMediaRequests = (context: Context, stopGraceMs: number, log: Logger): Promise<Consumer> =>
  startWorker({
    ...{ kafka: context.kafka, claims: context.claims, stopGraceMs, log },
    ...{ topic: 'media.work', group: 'media', kind: JobKind.JOB_KIND_MEDIA },
    slots: context.config.concurrency,
    jobLimitMs: context.config.jobSeconds * 1000,
    read: event => onMediaRequested(context, event),
  });

function onMediaRequested(context: Context, { id, type, payload }: Event): JobRequest {
  if (payload?.$case !== 'mediaRequested') throw new PoisonError(`${type} does not request media`);
  const request = payload.value;
  const { projectId, submissionId } = request;
  const job = { projectId, submissionId, kind: JobKind.JOB_KIND_MEDIA, requestNumber: 0 };
  return { job, work: options => processClip(context, id, request, options) };
}
