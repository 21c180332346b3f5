import { createJobClaims, type JobClaims } from '@recording-request/events/job-claims';
import { connectKafka, type Kafka } from '@recording-request/events/kafka';
import { createFairSlots, type FairSlots } from '@recording-request/kit/fair-slots';
import type { Logger } from '@recording-request/kit/log';
import { memoryLimit } from '@recording-request/kit/memory-limit';
import { openAll } from '@recording-request/kit/open-all';
import { type Limits, openSandbox, type Sandbox } from '@recording-request/kit-ffmpeg/sandbox';
import { createObjects, type Objects } from '@recording-request/kit-objects/objects';
import { type Internal, openInternal } from '@recording-request/kit-rpc/internal/internal';
import { reportSlots } from '@recording-request/kit-telemetry/slot-figures';
import { findFfmpeg } from './adapters/ffmpeg.ts';
import { type JobDirectories, openJobDirectories } from './adapters/job-directory.ts';
import type { Config } from './config.ts';
import { mostMemory, type ToolMemory, toolMemory } from './domain/memory.ts';

/** The dependencies of handlers, consumers and workflows. Disposing closes the connections and removes the jobs' files. */
export interface Context extends AsyncDisposable {
  config: Config;
  internal: Internal;
  objects: Objects;
  kafka: Kafka;
  claims: JobClaims;
  jobs: JobDirectories;
  sandbox: Sandbox;
  /** Limits inspections by owner and link. */
  inspectSlots: FairSlots;
}

/** The limit of waiting calls. Each call waits for at most half of its deadline. */
const INSPECTIONS_QUEUED = 256;

/** Opens the connections. Rejects when ffmpeg or ffprobe is missing. */
export async function openContext(config: Config, log: Logger): Promise<Context> {
  await using opening = new AsyncDisposableStack();
  const internal = opening.use(await openInternal(config, 'media', log));
  const objects = createObjects(config);
  const [sandbox, jobs, , kafka] = await openAll(opening, [
    openFfmpeg(config, log),
    openJobDirectories(config.workDir, config.jobSeconds * 1000),
    objects.requireBucket(),
    connectKafka(config, { clientId: 'media', log }),
  ]);
  const claims = opening.use(createJobClaims(config.submissionsGrpc, internal.peer('submissions')));
  const inspectSlots = createFairSlots(config.inspectConcurrency, { queued: INSPECTIONS_QUEUED });
  opening.defer(reportSlots('inspect', config.inspectConcurrency, inspectSlots.used));
  const opened = opening.move();
  return {
    ...{ config, internal, objects, kafka, claims, jobs, sandbox, inspectSlots },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function openFfmpeg(config: Config, log: Logger): Promise<Sandbox> {
  const sandbox = await openSandbox(limitsOf(config, log), log);
  await findFfmpeg();
  return sandbox;
}

function limitsOf(config: Config, log: Logger): Limits {
  const { toolBytes, probeBytes } = memoryOf(config, log);
  return {
    memoryBytes: { ffmpeg: toolBytes, ffprobe: probeBytes },
    cpuSeconds: { ffmpeg: config.toolCpuSeconds, ffprobe: config.probeCpuSeconds },
    fileBytes: config.toolFileBytes,
    openFiles: config.toolOpenFiles,
    processes: config.toolProcesses,
  };
}

function memoryOf(config: Config, log: Logger): ToolMemory {
  const slots = { jobs: config.concurrency, inspections: config.inspectConcurrency };
  const limit = memoryLimit();
  const memory = toolMemory(slots, limit, {
    ...(config.toolMemoryBytes > 0 && { toolBytes: config.toolMemoryBytes }),
    ...(config.probeMemoryBytes > 0 && { probeBytes: config.probeMemoryBytes }),
  });
  const most = mostMemory(slots, memory);
  if (most > limit)
    log.warn(
      { ...slots, ...memory, most, limit },
      'MEDIA_SLOTS, MEDIA_INSPECT_SLOTS and the memory of a run exceed the memory of the container: lower them or raise its limit',
    );
  return memory;
}
