import { EXPORTS_AT_ONCE } from '@recording-request/contract/limits';
import { integer, listen, loadConfig, target, url, type Values } from '@recording-request/kit/config';
import { memoryLimit } from '@recording-request/kit/memory-limit';
import {
  grpcVariables,
  healthVariables,
  internalVariables,
  operatorVariables,
  processVariables,
} from '@recording-request/kit/service-variables';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { figureVariables } from '@recording-request/kit-mongo/figure-variables';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';

const DAY_SECONDS = 24 * 60 * 60;
const MAX_SECONDS = 366 * DAY_SECONDS;

const SIXTH_OF_MEMORY = { default: Math.floor(memoryLimit() / 6), unset: 'a sixth of the memory limit' };
const EIGHTH_OF_MEMORY = { default: Math.floor(memoryLimit() / 8), unset: 'an eighth of the memory limit' };

/** Every variable of this service. */
export const variables = {
  ...processVariables,
  ...grpcVariables,
  ...operatorVariables,
  ...healthVariables,
  ...internalVariables,
  ...mongoVariables,
  ...kafkaVariables,
  ...figureVariables,
  ...objectVariables,
  httpListen: listen('HTTP_LISTEN', "where `/uploads` is served, to the gateway's certificate alone", '0.0.0.0:8080'),
  projectsGrpc: target('PROJECTS_GRPC', 'the projects service'),
  mediaGrpc: target('MEDIA_GRPC', 'the media service'),
  publicBaseUrl: url('PUBLIC_BASE_URL', 'what links in exports begin with'),
  uploadMaxBytes: integer('UPLOAD_MAX_BYTES', 'the largest upload', { default: 2 * 1024 ** 3, min: 1 }),
  uploadPartBytes: integer(
    'UPLOAD_PART_BYTES',
    'what a request collects before it stores a part; the next one is collected in the meantime. A take with 500 parts or more is put together in one object when it lands',
    { default: 5 * 1024 ** 2, min: 1024, max: 64 * 1024 ** 2 },
  ),
  // Of bytes that are being stored there is a copy, unless the store verifies checksums.
  uploadMemoryBytes: integer(
    'UPLOAD_MEMORY_BYTES',
    'what all requests that bring bytes may hold; beyond that they are refused with 503 and `Retry-After`. [Owners share it](operations.md#shares-of-owners): at most half for one owner',
    { ...SIXTH_OF_MEMORY, min: 256 * 1024 },
  ),
  uploadFlushSeconds: integer(
    'UPLOAD_FLUSH_SECONDS',
    'after that the bytes of a slow request are stored, as a smaller part',
    { default: 10, min: 1, max: 3600 },
  ),
  landingMemoryBytes: integer(
    'LANDING_MEMORY_BYTES',
    'what landings may hold while they put parts together; others wait, in [turns of their owners](operations.md#shares-of-owners)',
    { ...EIGHTH_OF_MEMORY, min: 1024 ** 2 },
  ),
  uploadLeaseSeconds: integer('UPLOAD_LEASE_SECONDS', 'how long a writer that died keeps others out', {
    default: 15,
    min: 2,
    max: 600,
  }),
  uploadIdleSeconds: integer('UPLOAD_IDLE_SECONDS', 'silence after which a connection is ended', {
    default: 60,
    min: 1,
    max: 3600,
  }),
  uploadHoldSeconds: integer('UPLOAD_HOLD_SECONDS', 'how long an upload is kept after its last byte', {
    default: 7 * DAY_SECONDS,
    min: 1,
    max: MAX_SECONDS,
  }),
  uploadEndedSeconds: integer(
    'UPLOAD_ENDED_SECONDS',
    'how long a response keeps its use after its client ended its only upload',
    { default: 30 * 60, min: 1, max: MAX_SECONDS },
  ),
  holdRenewSeconds: integer('HOLD_RENEW_SECONDS', "how often an upload prolongs its response's hold", {
    default: 300,
    min: 1,
    max: DAY_SECONDS,
  }),
  landingAnswerSeconds: integer(
    'LANDING_ANSWER_SECONDS',
    'after that the client is answered 202, and the landing goes on',
    { default: 10, min: 1, max: 60 },
  ),
  landingLeaseSeconds: integer('LANDING_LEASE_SECONDS', 'how long a process that died keeps others from its landing', {
    default: 30,
    min: 1,
    max: 600,
  }),
  landingFaultsMax: integer(
    'LANDING_FAULTS_MAX',
    'after so many failed landings with nothing away that they need an upload ends as failed (more than a day of them); its bytes are kept until its hold ends',
    { default: 200, min: 1 },
  ),
  inspectSeconds: integer(
    'INSPECT_SECONDS',
    'how long the media service may wait for a slot for a clip, and then inspect it. Without a slot the landing is tried again, without an answer the clip lands uninspected',
    { default: 20, min: 1, max: 120 },
  ),
  durationGraceSeconds: integer('DURATION_GRACE_SECONDS', 'what a take may run over', { default: 2, min: 0, max: 60 }),
  sweepSeconds: integer('SWEEP_SECONDS', "pause between the sweeper's turns", { default: 5, min: 1, max: 3600 }),
  stuckSeconds: integer(
    'STUCK_SECONDS',
    'how long the result of a job that a worker has reported may be on its way; then the job is begun again',
    {
      default: 900,
      min: 1,
      max: DAY_SECONDS,
    },
  ),
  mediaAsksMax: integer('MEDIA_ASKS_MAX', 'how often a job, media or transcript, is begun before it fails', {
    default: 5,
    min: 1,
    max: 100,
  }),
  jobLeaseSeconds: integer(
    'JOB_LEASE_SECONDS',
    'how long a worker that died keeps others from its job; workers renew three times as often',
    { default: 30, min: 1, max: 600 },
  ),
  unknownRetrySeconds: integer(
    'UNKNOWN_RETRY_SECONDS',
    'how soon an event that a consumer of the version before did not know is given to it again, up to 16 times as long where it lasts ([upgrades](operations.md#events-that-a-version-does-not-know))',
    { default: 30, min: 1, max: 3_600 },
  ),
  openPutSeconds: integer(
    'OPEN_PUT_SECONDS',
    'after that a multipart upload to the store is ended as abandoned; more than a media job and a landing take',
    { default: 4 * 60 * 60, min: 1, max: MAX_SECONDS },
  ),
  retentionDays: integer('RETENTION_DAYS', 'submissions older than this are erased; 0: none is', {
    default: 0,
    max: 36_500,
  }),
  eraseAgainSeconds: integer(
    'ERASE_AGAIN_SECONDS',
    'how long after an erasure late results of jobs are removed; longer than `MEDIA_JOB_SECONDS` and `TRANSCRIPTION_JOB_SECONDS`',
    { default: 3_600, min: 1, max: DAY_SECONDS },
  ),
  searchesAtOnce: integer(
    'SEARCHES_AT_ONCE',
    'searches by words at once in this process; more are refused with 503 and `Retry-After`, not queued. [Owners share them](operations.md#shares-of-owners): at most half for one owner',
    { default: 4, min: 1 },
  ),
  // Each reads its rows with one of the 50 connections to MongoDB that all share.
  exportsAtOnce: integer(
    'EXPORTS_AT_ONCE',
    'exports at once in this process; more are refused with 429 and `Retry-After`. [Owners share them](operations.md#shares-of-owners): at most half for one owner. The gateway has bounds of its own',
    { default: EXPORTS_AT_ONCE, min: 1, max: EXPORTS_AT_ONCE },
  ),
  exportMemoryBytes: integer(
    'EXPORT_MEMORY_BYTES',
    'what archives may hold while they are made; others wait, in [turns of their owners](operations.md#shares-of-owners)',
    {
      ...EIGHTH_OF_MEMORY,
      min: 1024 ** 2,
    },
  ),
  // Within the week after which an archive ends in any case.
  exportResumeSeconds: integer(
    'EXPORT_RESUME_SECONDS',
    'how long after its last byte a download of project.zip can go on in the same archive',
    { default: DAY_SECONDS, min: 60, max: 7 * DAY_SECONDS },
  ),
  presignSeconds: integer('PRESIGN_SECONDS', 'how long an internal media address holds', {
    default: 3600,
    min: 60,
    max: 7 * DAY_SECONDS,
  }),
};

export type Config = Values<typeof variables>;

/** Throws ConfigError with all faults. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  return loadConfig(env, variables);
}
