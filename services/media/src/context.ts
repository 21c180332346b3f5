import { createJobClaims, type JobClaims } from '@recording-request/events/job-claims';
import { connectKafka, type Kafka } from '@recording-request/events/kafka';
import type { Logger } from '@recording-request/kit/log';
import { createObjects, type Objects } from '@recording-request/kit/objects';
import { findFfmpeg } from './adapters/ffmpeg.ts';
import { findFfprobe } from './adapters/ffprobe.ts';
import { type JobDirectories, openJobDirectories } from './adapters/job-directory.ts';
import { detectSandbox, type Sandbox } from './adapters/sandbox.ts';
import type { Config } from './config.ts';
import { type ConcurrencyLimiter, createConcurrencyLimiter } from './workflows/concurrency-limiter.ts';

/** Everything that handlers, consumers and workflows work with. Disposing closes the connections and removes the jobs' files. */
export interface Context extends AsyncDisposable {
  config: Config;
  objects: Objects;
  kafka: Kafka;
  claims: JobClaims;
  jobs: JobDirectories;
  sandbox: Sandbox;
  inspectLimiter: ConcurrencyLimiter;
}

/** Opens the connections. Rejects where ffmpeg or ffprobe is missing. */
export async function openContext(config: Config, log: Logger): Promise<Context> {
  const sandbox = await openSandbox(config, log);
  await Promise.all([findFfmpeg(sandbox), findFfprobe(sandbox)]);
  await using opening = new AsyncDisposableStack();
  const jobs = opening.adopt(await openJobDirectories(config.workDir, config.jobSeconds * 1000), jobs => jobs.close());
  const objects = createObjects(config);
  await objects.ensureBucket();
  const connecting = connectKafka(config, { clientId: 'media', log });
  const kafka = opening.adopt(await connecting, kafka => kafka.close());
  const claims = opening.use(createJobClaims(config.submissionsGrpc));
  const inspectLimiter = createConcurrencyLimiter(config.inspectConcurrency);
  const opened = opening.move();
  return {
    ...{ config, objects, kafka, claims, jobs, sandbox, inspectLimiter },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function openSandbox(config: Config, log: Logger): Promise<Sandbox> {
  const sandbox = await detectSandbox({
    memoryBytes: config.toolMemoryBytes,
    cpuSeconds: { ffmpeg: config.toolCpuSeconds, ffprobe: config.probeCpuSeconds },
    fileBytes: config.toolFileBytes,
    openFiles: config.toolOpenFiles,
    processes: config.toolProcesses,
  });
  const { limits, endsWithParent } = sandbox;
  if (limits.length > 0 && endsWithParent) log.info({ limits, endsWithParent }, 'ffmpeg and ffprobe run under limits');
  else log.warn({ limits, endsWithParent }, 'ffmpeg and ffprobe run without some of their limits');
  return sandbox;
}
