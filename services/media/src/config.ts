import { tmpdir } from 'node:os';
import {
  grpcVariables,
  healthVariables,
  integer,
  internalVariables,
  loadConfig,
  processVariables,
  target,
  text,
} from '@recording-request/kit/config';
import { kafkaVariables } from '@recording-request/kit/kafka-variables';
import { objectVariables } from '@recording-request/kit/store-variables';

const VARIABLES = {
  ...processVariables,
  ...grpcVariables,
  ...healthVariables,
  ...internalVariables,
  ...kafkaVariables,
  ...objectVariables,
  submissionsGrpc: target('SUBMISSIONS_GRPC'),
  jobSeconds: integer('MEDIA_JOB_SECONDS', { default: 600, min: 10, max: 7_200 }),
  concurrency: integer('MEDIA_SLOTS', { default: 1, min: 1, max: 64 }),
  inspectSeconds: integer('MEDIA_INSPECT_SECONDS', { default: 20, min: 1, max: 600 }),
  inspectConcurrency: integer('MEDIA_INSPECT_SLOTS', { default: 4, min: 1, max: 64 }),
  sourceMaxBytes: integer('MEDIA_SOURCE_MAX_BYTES', { default: 2 * 1024 ** 3, min: 1 }),
  // 0: as much as the container's memory leaves.
  toolMemoryBytes: integer('MEDIA_TOOL_MEMORY_BYTES', { default: 0 }),
  probeMemoryBytes: integer('MEDIA_PROBE_MEMORY_BYTES', { default: 0 }),
  toolCpuSeconds: integer('MEDIA_TOOL_CPU_SECONDS', { default: 600, min: 1 }),
  probeCpuSeconds: integer('MEDIA_PROBE_CPU_SECONDS', { default: 15, min: 1 }),
  toolFileBytes: integer('MEDIA_TOOL_FILE_BYTES', { default: 5 * 1024 ** 3, min: 1024 ** 2 }),
  toolOpenFiles: integer('MEDIA_TOOL_OPEN_FILES', { default: 64, min: 16 }),
  toolProcesses: integer('MEDIA_TOOL_PROCESSES', { default: 8_192, min: 16 }),
  workDir: text('MEDIA_WORK_DIR', { default: tmpdir() }),
};

export const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(env, VARIABLES);
export type Config = ReturnType<typeof readConfig>;
