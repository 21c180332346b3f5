import { startWorker } from '@recording-request/events/worker';
import type { Logger } from '@recording-request/kit/log';
import type { Consumer } from '@recording-request/kit-kafka/consumer';
import type { Context } from '../context.ts';
import { processClip } from '../workflows/process-clip.ts';

/** Starts the consumer of media jobs. When it is stopped, running jobs continue for `stopGraceMs`. */
export const startMediaJobs = (context: Context, stopGraceMs: number, log: Logger): Promise<Consumer> =>
  startWorker({
    ...{ kafka: context.kafka, claims: context.claims, stopGraceMs, log },
    ...{ topic: 'media.work', group: 'media', kind: 'media' },
    slots: context.config.concurrency,
    jobLimitMs: context.config.jobSeconds * 1000,
    work: (job, options) => processClip(context, job, options),
  });
