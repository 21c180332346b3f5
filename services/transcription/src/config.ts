import { integer, loadConfig, target } from '@recording-request/kit/config';
import { healthVariables, internalVariables, processVariables } from '@recording-request/kit/service-variables';
import { speechVariables } from '@recording-request/kit/speech-variables';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';

export const variables = {
  ...processVariables,
  ...healthVariables,
  ...internalVariables,
  ...kafkaVariables,
  ...objectVariables,
  submissionsGrpc: target('SUBMISSIONS_GRPC', 'the submissions service, where jobs are claimed'),
  ...speechVariables,
  requestSeconds: integer('SPEECH_REQUEST_SECONDS', 'time limit of one attempt', { default: 240, min: 1, max: 3_600 }),
  jobSeconds: integer('TRANSCRIPTION_JOB_SECONDS', 'time limit of one job, with all its attempts', {
    default: 300,
    min: 5,
    max: 7_200,
  }),
  concurrency: integer('TRANSCRIPTION_SLOTS', 'jobs at once in this process', { default: 2, min: 1, max: 64 }),
  attempts: integer('TRANSCRIPTION_ATTEMPTS', 'attempts before a job returns to the queue', {
    default: 6,
    min: 1,
    max: 100,
  }),
  toolMemoryBytes: integer(
    'TRANSCRIPTION_TOOL_MEMORY_BYTES',
    "memory of one run of ffmpeg, without its code. All runs together need at most 256 MiB + `TRANSCRIPTION_SLOTS` × (50 MiB + this), which must fit into the container's limit",
    { default: 128 * 1024 ** 2, min: 64 * 1024 ** 2 },
  ),
  toolCpuSeconds: integer(
    'TRANSCRIPTION_TOOL_CPU_SECONDS',
    'CPU time of one run of ffmpeg; audio that takes more has no transcript',
    { default: 120, min: 1 },
  ),
  speechDb: integer('TRANSCRIPTION_SPEECH_DB', 'decibels relative to full scale; quieter sound counts as silence', {
    default: -50,
    min: -90,
    max: 0,
  }),
};

export const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(env, variables);
export type Config = ReturnType<typeof readConfig>;
