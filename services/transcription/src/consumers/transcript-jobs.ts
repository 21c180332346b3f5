import { startWorker } from '@recording-request/events/worker';
import type { Logger } from '@recording-request/kit/log';
import type { Consumer } from '@recording-request/kit-kafka/consumer';
import type { Context } from '../context.ts';
import { transcribe } from '../workflows/transcribe.ts';

/** Starts the consumer of transcript jobs. When it is stopped, running jobs continue for `stopGraceMs`. */
export const startTranscriptJobs = (context: Context, stopGraceMs: number, log: Logger): Promise<Consumer> =>
  startWorker({
    ...{ kafka: context.kafka, claims: context.claims, stopGraceMs, log },
    ...{ topic: 'transcription.work', group: 'transcription', kind: 'transcript' },
    slots: context.config.concurrency,
    jobLimitMs: context.config.jobSeconds * 1000,
    work: (job, options) => transcribe(context, job, options),
  });
