import { jobGraceMs, type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { implement } from '@recording-request/kit-rpc/grpc-server';
import { startListeners } from '@recording-request/kit-rpc/listeners';
import { callers } from '@recording-request/proto/callers';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import type { Config } from './config.ts';
import { startMediaJobs } from './consumers/media-jobs.ts';
import { openContext } from './context.ts';
import { mediaHandlers } from './rpc/handlers.ts';

export interface MediaService extends RunningService {
  /** `host:port` of gRPC. */
  grpcAddress: string;
}

/** Serves Inspect and processes media jobs until it is stopped. */
export async function startService(config: Config, log: Logger): Promise<MediaService> {
  await using starting = new AsyncDisposableStack();
  const context = starting.use(await openContext(config, log));
  const server = await startListeners({
    config,
    internal: context.internal,
    callers,
    services: [implement<MediaServiceServer>(MediaServiceService, mediaHandlers(context))],
    log,
  });
  starting.defer(() => server.close(0));
  // A job that takes longer is returned to the queue, and another process takes it.
  const graceMs = jobGraceMs(config.stopGraceSeconds);
  const worker = await startMediaJobs(context, graceMs, log);
  starting.move();

  const stopParts = () =>
    stopAll([
      // Stops all parts in parallel, because each part waits for its own running work.
      () => Promise.all([server.close(graceMs), worker.stop()]),
      () => context[Symbol.asyncDispose](),
    ]);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopParts();
    return stopped;
  };
  return { grpcAddress: server.grpcAddress, stop, [Symbol.asyncDispose]: stop };
}
