import {
  healthVariables,
  integer,
  internalVariables,
  loadConfig,
  processVariables,
  secret,
  target,
  text,
  url,
} from '@recording-request/kit/config';
import { kafkaVariables } from '@recording-request/kit/kafka-variables';
import { objectVariables } from '@recording-request/kit/store-variables';

const VARIABLES = {
  ...processVariables,
  ...healthVariables,
  ...internalVariables,
  ...kafkaVariables,
  ...objectVariables,
  submissionsGrpc: target('SUBMISSIONS_GRPC'),
  speechBaseUrl: url('SPEECH_BASE_URL'),
  speechApiKey: secret('SPEECH_API_KEY', { default: '' }),
  speechModel: text('SPEECH_MODEL', { default: 'whisper-1' }),
  requestSeconds: integer('SPEECH_REQUEST_SECONDS', { default: 240, min: 1, max: 3_600 }),
  jobSeconds: integer('TRANSCRIPTION_JOB_SECONDS', { default: 300, min: 5, max: 7_200 }),
  concurrency: integer('TRANSCRIPTION_SLOTS', { default: 2, min: 1, max: 64 }),
  attempts: integer('TRANSCRIPTION_ATTEMPTS', { default: 6, min: 1, max: 100 }),
  toolMemoryBytes: integer('TRANSCRIPTION_TOOL_MEMORY_BYTES', { default: 128 * 1024 ** 2, min: 64 * 1024 ** 2 }),
  toolCpuSeconds: integer('TRANSCRIPTION_TOOL_CPU_SECONDS', { default: 120, min: 1 }),
  speechDb: integer('TRANSCRIPTION_SPEECH_DB', { default: -50, min: -90, max: 0 }),
};

export const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(env, VARIABLES);
export type Config = ReturnType<typeof readConfig>;
