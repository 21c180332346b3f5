import { implement, startGrpcServer } from '@recording-request/kit/grpc-server';
import { type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import type { Config } from './config.ts';
import { consumeMediaRequests } from './consumers/media-requested.ts';
import { openContext } from './context.ts';
import { mediaHandlers } from './rpc/handlers.ts';

export interface MediaService extends RunningService {
  /** `host:port` of gRPC. */
  grpcAddress: string;
}

// A job that ends within this time is committed; a longer one is killed, and another process does it again.
const STOP_GRACE_MS = 10_000;

/** Serves Inspect and takes requests for media until it is stopped. */
export async function startService(config: Config, log: Logger): Promise<MediaService> {
  await using starting = new AsyncDisposableStack();
  const context = starting.use(await openContext(config, log));
  const server = await startGrpcServer({
    listen: config.grpcListen,
    services: [implement<MediaServiceServer>(MediaServiceService, mediaHandlers(context))],
    log,
  });
  starting.defer(() => server.close(0));
  const giveUp = new AbortController();
  const consumer = await consumeMediaRequests(context, giveUp.signal);
  starting.move();

  const stopParts = async () => {
    const timer = setTimeout(() => giveUp.abort(new Error('the service stops')), STOP_GRACE_MS);
    await stopAll([
      // At the same time: each waits for what is still running.
      () => Promise.all([server.close(STOP_GRACE_MS), consumer.stop()]),
      () => context[Symbol.asyncDispose](),
    ]).finally(() => clearTimeout(timer));
  };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopParts();
    return stopped;
  };
  return { grpcAddress: server.address, stop, [Symbol.asyncDispose]: stop };
}
