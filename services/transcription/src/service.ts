import { jobGraceMs, type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Config } from './config.ts';
import { startTranscriptJobs } from './consumers/transcript-jobs.ts';
import { openContext } from './context.ts';

/** Processes transcript jobs until it is stopped. */
export async function startService(config: Config, log: Logger): Promise<RunningService> {
  await using starting = new AsyncDisposableStack();
  const context = starting.use(await openContext(config, log));
  // A job that takes longer is returned to the queue, and another process takes it.
  const graceMs = jobGraceMs(config.stopGraceSeconds);
  const worker = await startTranscriptJobs(context, graceMs, log);
  starting.move();

  const stopParts = () => stopAll([() => worker.stop(), () => context[Symbol.asyncDispose]()]);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopParts();
    return stopped;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}
