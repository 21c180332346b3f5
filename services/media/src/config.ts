import { tmpdir } from 'node:os';
import { integer, loadConfig, target, text } from '@recording-request/kit/config';
import {
  grpcVariables,
  healthVariables,
  internalVariables,
  processVariables,
} from '@recording-request/kit/service-variables';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';

export const variables = {
  ...processVariables,
  ...grpcVariables,
  ...healthVariables,
  ...internalVariables,
  ...kafkaVariables,
  ...objectVariables,
  submissionsGrpc: target('SUBMISSIONS_GRPC', 'the submissions service, where jobs are claimed'),
  jobSeconds: integer('MEDIA_JOB_SECONDS', 'time limit of one job', { default: 600, min: 10, max: 7_200 }),
  concurrency: integer('MEDIA_SLOTS', 'jobs at once in this process', { default: 1, min: 1, max: 64 }),
  inspectSeconds: integer('MEDIA_INSPECT_SECONDS', 'time limit of one `Inspect`, without the wait for its slot', {
    default: 20,
    min: 1,
    max: 600,
  }),
  inspectConcurrency: integer(
    'MEDIA_INSPECT_SLOTS',
    'concurrent calls of `Inspect`; further ones wait, and owners take turns. [Owners share them](operations.md#shares-of-owners): at most half for one owner, a quarter for one link',
    {
      default: 4,
      min: 1,
      max: 64,
    },
  ),
  sourceMaxBytes: integer('MEDIA_SOURCE_MAX_BYTES', 'the largest upload that a job downloads', {
    default: 2 * 1024 ** 3,
    min: 1,
  }),
  toolMemoryBytes: integer(
    'MEDIA_TOOL_MEMORY_BYTES',
    'memory of one run of ffmpeg, without its code; with it, less than 1 GiB is resident',
    { default: 0, unset: "0: what the container's memory leaves, 256 to 896 MiB" },
  ),
  probeMemoryBytes: integer(
    'MEDIA_PROBE_MEMORY_BYTES',
    'memory of one run of ffprobe; an inspection has two at once. All runs together need at most 256 MiB + `MEDIA_SLOTS` × (32 MiB + ffmpeg) + `MEDIA_INSPECT_SLOTS` × 2 × ffprobe; the log warns at the start if the container has less',
    { default: 0, unset: "0: what the container's memory leaves, 160 to 224 MiB" },
  ),
  toolCpuSeconds: integer('MEDIA_TOOL_CPU_SECONDS', 'CPU time of one run of ffmpeg', { default: 600, min: 1 }),
  probeCpuSeconds: integer(
    'MEDIA_PROBE_CPU_SECONDS',
    'CPU time of one run of ffprobe; a file that needs more is not accepted as a video',
    { default: 15, min: 1 },
  ),
  toolFileBytes: integer(
    'MEDIA_TOOL_FILE_BYTES',
    'the largest file that a run may write: more than twice `MEDIA_SOURCE_MAX_BYTES`',
    { default: 5 * 1024 ** 3, min: 1024 ** 2 },
  ),
  toolOpenFiles: integer('MEDIA_TOOL_OPEN_FILES', 'open files of a run', { default: 64, min: 16 }),
  toolProcesses: integer(
    'MEDIA_TOOL_PROCESSES',
    "processes and threads of this service's user, all programs together; does not apply to root",
    { default: 8_192, min: 16 },
  ),
  workDir: text(
    'MEDIA_WORK_DIR',
    'the folder for job files, with space for about three times the largest upload per concurrent job. A start removes the leftovers of killed processes; containers must not share it',
    { default: tmpdir(), unset: "the system's folder for temporary files", expected: 'the path of a folder' },
  ),
};

export const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(env, variables);
export type Config = ReturnType<typeof readConfig>;
