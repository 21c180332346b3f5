import type { ConsumerOptions } from '@recording-request/events/kafka';
import { type Consumer, PoisonError } from '@recording-request/kit/kafka-consumer';
import type { Context } from '../context.ts';
import { type ProcessClipDeps, processClip } from '../workflows/process-clip.ts';

/** submission.media.requested. When `giveUp` fires, running jobs end and are left to another process. */
export const consumeMediaRequests = (context: Context, giveUp: AbortSignal): Promise<Consumer> => {
  const handle = onMediaRequested(context);
  return context.kafka.consume({
    topic: 'media.work',
    group: 'media',
    concurrency: context.config.concurrency,
    jobLimitMs: context.config.jobSeconds * 1000,
    handle: (event, { signal, log }) => handle(event, { signal: AbortSignal.any([signal, giveUp]), log }),
  });
};

export const onMediaRequested =
  (deps: ProcessClipDeps): ConsumerOptions['handle'] =>
  async ({ id, type, payload }, { signal, log }) => {
    if (payload?.$case !== 'mediaRequested') throw new PoisonError(`${type} does not request media`);
    await processClip(deps, id, payload.value, { signal, log: log.child({ submission: payload.value.submissionId }) });
  };
