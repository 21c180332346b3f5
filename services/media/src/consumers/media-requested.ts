import type { ConsumerOptions } from '@recording-request/events/kafka';
import { type Consumer, PoisonError } from '@recording-request/kit/kafka-consumer';
import { JobKind } from '@recording-request/proto/work/v1/work';
import type { Context } from '../context.ts';
import { type ProcessClipDeps, processClip } from '../workflows/process-clip.ts';

/** submission.media.requested. `stopGraceMs`: how long a stop lets running jobs go on. */
export const consumeMediaRequests = (context: Context, stopGraceMs: number): Promise<Consumer> => {
  const handle = onMediaRequested(context);
  return context.kafka.consume({
    topic: 'media.work',
    group: 'media',
    concurrency: context.config.concurrency,
    jobLimitMs: context.config.jobSeconds * 1000,
    stopGraceMs,
    handle,
  });
};

export const onMediaRequested =
  ({ claims, ...deps }: ProcessClipDeps & Pick<Context, 'claims'>): ConsumerOptions['handle'] =>
  async ({ id, type, payload }, { signal, log: parent }) => {
    if (payload?.$case !== 'mediaRequested') throw new PoisonError(`${type} does not request media`);
    const { value: request } = payload;
    const { projectId, submissionId } = request;
    const log = parent.child({ submission: submissionId });
    const job = { projectId, submissionId, kind: JobKind.JOB_KIND_MEDIA, requestNumber: 0 };
    await claims.run(job, { signal, log }, claimed => processClip(deps, id, request, { signal: claimed, log }));
  };
