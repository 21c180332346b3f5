import { startHealth } from '@recording-request/kit/health';
import { jobGraceMs, type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Config } from './config.ts';
import { consumeTranscriptRequests } from './consumers/transcript-requested.ts';
import { openContext } from './context.ts';

export interface TranscriptionService extends RunningService {
  /** `host:port` of grpc.health.v1. */
  healthAddress: string;
}

/** Takes requests for transcripts until it is stopped. */
export async function startService(config: Config, log: Logger): Promise<TranscriptionService> {
  await using starting = new AsyncDisposableStack();
  const context = starting.use(await openContext(config, log));
  const health = await startHealth(config.healthListen);
  starting.defer(() => health.close());
  // A job that goes on for longer is given back, and another process does it.
  const graceMs = jobGraceMs(config.stopGraceSeconds);
  const consumer = await consumeTranscriptRequests(context, graceMs, log);
  starting.move();

  const stopParts = () =>
    stopAll([
      // At the same time: each waits for what is still running.
      () => Promise.all([health.close(), consumer.stop()]),
      () => context[Symbol.asyncDispose](),
    ]);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopParts();
    return stopped;
  };
  return { healthAddress: health.address, stop, [Symbol.asyncDispose]: stop };
}
