import {
  grpcVariables,
  healthVariables,
  integer,
  internalVariables,
  listen,
  loadConfig,
  operatorVariables,
  processVariables,
  target,
  url,
  type Values,
} from '@recording-request/kit/config';
import { figureVariables } from '@recording-request/kit/figure-variables';
import { kafkaVariables } from '@recording-request/kit/kafka-variables';
import { memoryLimit } from '@recording-request/kit/memory-limit';
import { mongoVariables, objectVariables } from '@recording-request/kit/store-variables';

const DAY_SECONDS = 24 * 60 * 60;
const MAX_SECONDS = 366 * DAY_SECONDS;

const spec = {
  ...processVariables,
  ...grpcVariables,
  ...operatorVariables,
  ...healthVariables,
  ...internalVariables,
  ...mongoVariables,
  ...kafkaVariables,
  ...figureVariables,
  ...objectVariables,
  httpListen: listen('HTTP_LISTEN', '0.0.0.0:8080'),
  projectsGrpc: target('PROJECTS_GRPC'),
  mediaGrpc: target('MEDIA_GRPC'),
  publicBaseUrl: url('PUBLIC_BASE_URL'),
  uploadMaxBytes: integer('UPLOAD_MAX_BYTES', { default: 2 * 1024 ** 3, min: 1 }),
  uploadPartBytes: integer('UPLOAD_PART_BYTES', { default: 8 * 1024 ** 2, min: 1024, max: 64 * 1024 ** 2 }),
  // Of bytes that are being stored there is a copy, unless the store verifies checksums.
  uploadMemoryBytes: integer('UPLOAD_MEMORY_BYTES', { default: Math.floor(memoryLimit() / 6), min: 256 * 1024 }),
  uploadFlushSeconds: integer('UPLOAD_FLUSH_SECONDS', { default: 10, min: 1, max: 3600 }),
  landingMemoryBytes: integer('LANDING_MEMORY_BYTES', { default: Math.floor(memoryLimit() / 8), min: 1024 ** 2 }),
  uploadLeaseSeconds: integer('UPLOAD_LEASE_SECONDS', { default: 15, min: 2, max: 600 }),
  uploadIdleSeconds: integer('UPLOAD_IDLE_SECONDS', { default: 60, min: 1, max: 3600 }),
  uploadHoldSeconds: integer('UPLOAD_HOLD_SECONDS', { default: 7 * DAY_SECONDS, min: 1, max: MAX_SECONDS }),
  uploadEndedSeconds: integer('UPLOAD_ENDED_SECONDS', { default: 30 * 60, min: 1, max: MAX_SECONDS }),
  holdRenewSeconds: integer('HOLD_RENEW_SECONDS', { default: 300, min: 1, max: DAY_SECONDS }),
  landingAnswerSeconds: integer('LANDING_ANSWER_SECONDS', { default: 10, min: 1, max: 60 }),
  landingLeaseSeconds: integer('LANDING_LEASE_SECONDS', { default: 30, min: 1, max: 600 }),
  landingFaultsMax: integer('LANDING_FAULTS_MAX', { default: 200, min: 1 }),
  inspectSeconds: integer('INSPECT_SECONDS', { default: 20, min: 1, max: 120 }),
  durationGraceSeconds: integer('DURATION_GRACE_SECONDS', { default: 2, min: 0, max: 60 }),
  sweepSeconds: integer('SWEEP_SECONDS', { default: 5, min: 1, max: 3600 }),
  stuckSeconds: integer('STUCK_SECONDS', { default: 900, min: 1, max: DAY_SECONDS }),
  mediaAsksMax: integer('MEDIA_ASKS_MAX', { default: 5, min: 1, max: 100 }),
  dispatchInFlight: integer('DISPATCH_IN_FLIGHT', { default: 0, min: 0, max: 10_000 }),
  jobLeaseSeconds: integer('JOB_LEASE_SECONDS', { default: 30, min: 1, max: 600 }),
  unknownRetrySeconds: integer('UNKNOWN_RETRY_SECONDS', { default: 30, min: 1, max: 3_600 }),
  openPutSeconds: integer('OPEN_PUT_SECONDS', { default: 4 * 60 * 60, min: 1, max: MAX_SECONDS }),
  retentionDays: integer('RETENTION_DAYS', { default: 0, max: 36_500 }),
  eraseAgainSeconds: integer('ERASE_AGAIN_SECONDS', { default: 3_600, min: 1, max: DAY_SECONDS }),
  searchesAtOnce: integer('SEARCHES_AT_ONCE', { default: 4, min: 1 }),
  searchesAtOncePerProject: integer('SEARCHES_AT_ONCE_PER_PROJECT', { default: 2, min: 1 }),
  // Each reads its rows with one of the 50 connections to MongoDB that all share.
  exportsAtOnce: integer('EXPORTS_AT_ONCE', { default: 40, min: 1, max: 40 }),
  exportsAtOncePerOwner: integer('EXPORTS_AT_ONCE_PER_OWNER', { default: 20, min: 1 }),
  exportMemoryBytes: integer('EXPORT_MEMORY_BYTES', { default: Math.floor(memoryLimit() / 8), min: 1024 ** 2 }),
  // Within the week after which an archive ends in any case.
  exportResumeSeconds: integer('EXPORT_RESUME_SECONDS', { default: DAY_SECONDS, min: 60, max: 7 * DAY_SECONDS }),
  presignSeconds: integer('PRESIGN_SECONDS', { default: 3600, min: 60, max: 7 * DAY_SECONDS }),
};

export type Config = Values<typeof spec>;

/** Every variable of this service; the README's table says what each is for. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const config = loadConfig(env, spec);
  // Enough that no worker waits for the next job, and so few that none waits long for a worker.
  return { ...config, dispatchInFlight: config.dispatchInFlight || 2 * config.kafkaPartitions };
}
