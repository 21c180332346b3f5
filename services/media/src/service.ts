import { connectKafka } from '@recording-request/events/kafka';
import { implement, startGrpcServer } from '@recording-request/kit/grpc-server';
import { type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { createObjects } from '@recording-request/kit/objects';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import { findFfmpeg } from './adapters/ffmpeg.ts';
import { findFfprobe } from './adapters/ffprobe.ts';
import { openJobDirectories } from './adapters/job-directory.ts';
import { type Confinement, findConfinement } from './adapters/sandbox.ts';
import type { Config } from './config.ts';
import { onMediaRequested } from './consumers/media-requested.ts';
import { inspect } from './rpc/inspect.ts';
import { createTurns } from './workflows/concurrency-limiter.ts';

export interface MediaService extends RunningService {
  /** `host:port` of gRPC. */
  grpcAddress: string;
}

// A job that ends by then is committed; a longer one is killed, and done by whoever takes it over.
const STOP_GRACE_MS = 10_000;

/** Serves Inspect and takes requests for media until it is stopped. */
export async function startService(config: Config, log: Logger): Promise<MediaService> {
  const confinement = await findConfinement({
    memoryBytes: config.toolMemoryBytes,
    cpuSeconds: { ffmpeg: config.toolCpuSeconds, ffprobe: config.probeCpuSeconds },
    fileBytes: config.toolFileBytes,
    openFiles: config.toolOpenFiles,
    processes: config.toolProcesses,
  });
  tell(confinement, log);
  await Promise.all([findFfmpeg(confinement), findFfprobe(confinement)]);
  const jobMs = config.jobSeconds * 1000;
  const jobs = await openJobDirectories(config.workDir, jobMs);
  const objects = createObjects(config);
  await objects.ensureBucket();
  const kafka = await connectKafka(config, { clientId: 'media', log });
  const ending = new AbortController();
  const maxBytes = config.sourceMaxBytes;
  const mediaRoom = { objects, kafka, jobs, confinement, jobMs, maxBytes };
  const turns = createTurns(config.inspectSlots);
  const inspectRoom = { objects, jobs, confinement, turns, limitMs: config.inspectSeconds * 1000, maxBytes };
  const server = await startGrpcServer({
    listen: config.grpcListen,
    services: [
      implement<MediaServiceServer>(MediaServiceService, {
        inspect: (request, call) => inspect(request, call, inspectRoom),
      }),
    ],
    log,
  });
  await kafka.consume({
    topic: 'media.work',
    group: 'media',
    concurrency: config.slots,
    jobLimitMs: jobMs,
    handle: (event, context) =>
      onMediaRequested(event, { ...context, signal: AbortSignal.any([context.signal, ending.signal]) }, mediaRoom),
  });
  const stop = async () => {
    const timer = setTimeout(() => ending.abort(new Error('the service stops')), STOP_GRACE_MS);
    await stopAll([() => Promise.all([server.close(STOP_GRACE_MS), kafka.close()]), () => jobs.close()]);
    clearTimeout(timer);
  };
  return { grpcAddress: server.address, stop, [Symbol.asyncDispose]: stop };
}

function tell({ limits, endsWithParent }: Confinement, log: Logger): void {
  const on = limits.length > 0 && endsWithParent;
  const words = on ? 'ffmpeg and ffprobe run under limits' : 'ffmpeg and ffprobe run without some of their limits';
  log[on ? 'info' : 'warn']({ limits, endsWithParent }, words);
}
