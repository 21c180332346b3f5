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
  httpListen: listen(
    'HTTP_LISTEN',
    "the address of `/uploads`, which accepts only the gateway's certificate",
    '0.0.0.0:8080',
  ),
  projectsGrpc: target('PROJECTS_GRPC', 'the projects service'),
  mediaGrpc: target('MEDIA_GRPC', 'the media service'),
  publicBaseUrl: url('PUBLIC_BASE_URL', 'the start of links in exports'),
  uploadMaxBytes: integer('UPLOAD_MAX_BYTES', 'the largest upload', { default: 2 * 1024 ** 3, min: 1 }),
  uploadPartBytes: integer(
    'UPLOAD_PART_BYTES',
    'the bytes that a request collects before it stores a part; while it stores the part, it collects the next. A take with more than 500 parts is joined into one object when it lands',
    { default: 5 * 1024 ** 2, min: 1024, max: 64 * 1024 ** 2 },
  ),
  // The store client copies the bytes that it sends, unless the store verifies checksums.
  uploadMemoryBytes: integer(
    'UPLOAD_MEMORY_BYTES',
    'the memory of all requests that send bytes; further requests get 503 with `Retry-After`. [Owners share it](operations.md#shares-of-owners): one owner gets at most half',
    { ...SIXTH_OF_MEMORY, min: 256 * 1024 },
  ),
  uploadFlushSeconds: integer(
    'UPLOAD_FLUSH_SECONDS',
    'the time after which the bytes of a slow request are stored as a smaller part',
    { default: 10, min: 1, max: 3600 },
  ),
  landingMemoryBytes: integer(
    'LANDING_MEMORY_BYTES',
    'the memory of landings that join parts; others wait, in [turns of their owners](operations.md#shares-of-owners)',
    { ...EIGHTH_OF_MEMORY, min: 1024 ** 2 },
  ),
  uploadLeaseSeconds: integer(
    'UPLOAD_LEASE_SECONDS',
    'the lease of a writer: after a crash, other requests wait this long',
    {
      default: 15,
      min: 2,
      max: 600,
    },
  ),
  uploadIdleSeconds: integer('UPLOAD_IDLE_SECONDS', 'the time without bytes after which a connection is closed', {
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
    'how long a response keeps its use of the link after its client deleted its only upload',
    { default: 30 * 60, min: 1, max: MAX_SECONDS },
  ),
  holdRenewSeconds: integer('HOLD_RENEW_SECONDS', "the interval at which an upload renews its response's hold", {
    default: 300,
    min: 1,
    max: DAY_SECONDS,
  }),
  landingAnswerSeconds: integer(
    'LANDING_ANSWER_SECONDS',
    'the time after which the client gets 202 while the landing continues',
    { default: 10, min: 1, max: 60 },
  ),
  landingLeaseSeconds: integer(
    'LANDING_LEASE_SECONDS',
    'the lease of a landing: after a crash, other processes wait this long',
    {
      default: 30,
      min: 1,
      max: 600,
    },
  ),
  landingFaultsMax: integer(
    'LANDING_FAULTS_MAX',
    'the failed landings, without an outage, after which an upload ends as failed (the default takes more than a day); its bytes are kept until its hold ends',
    { default: 200, min: 1 },
  ),
  inspectSeconds: integer(
    'INSPECT_SECONDS',
    'how long a clip may wait for a slot of the media service, and then how long its inspection may take. Without a slot the landing is retried; without a result the clip lands uninspected',
    { default: 20, min: 1, max: 120 },
  ),
  durationGraceSeconds: integer('DURATION_GRACE_SECONDS', 'how far a take may exceed the longest duration', {
    default: 2,
    min: 0,
    max: 60,
  }),
  sweepSeconds: integer(
    'SWEEP_SECONDS',
    "the pause between the sweeper's turns; what nobody waits for has one turn in six",
    { default: 5, min: 1, max: 3600 },
  ),
  stuckSeconds: integer(
    'STUCK_SECONDS',
    'the longest wait for the result of a job that a worker has reported; then the job is started again',
    {
      default: 900,
      min: 1,
      max: DAY_SECONDS,
    },
  ),
  mediaAsksMax: integer('MEDIA_ASKS_MAX', 'how often a media or transcript job is started before it fails', {
    default: 5,
    min: 1,
    max: 100,
  }),
  jobLeaseSeconds: integer(
    'JOB_LEASE_SECONDS',
    'the lease of a job: after a crash, other workers wait this long; workers renew it three times as often',
    { default: 30, min: 1, max: 600 },
  ),
  unknownRetrySeconds: integer(
    'UNKNOWN_RETRY_SECONDS',
    'the first pause before a retry of an event that a consumer of the previous version did not know; later pauses are up to 16 times as long ([upgrades](operations.md#events-that-a-version-does-not-know))',
    { default: 30, min: 1, max: 3_600 },
  ),
  openPutSeconds: integer(
    'OPEN_PUT_SECONDS',
    'the age at which a multipart upload to the store is aborted as abandoned; must exceed the time of a media job and of a landing',
    { default: 4 * 60 * 60, min: 1, max: MAX_SECONDS },
  ),
  retentionDays: integer('RETENTION_DAYS', 'the age at which submissions are erased; 0: never', {
    default: 0,
    max: 36_500,
  }),
  eraseAgainSeconds: integer(
    'ERASE_AGAIN_SECONDS',
    'the time after an erasure at which late results of jobs are removed; must exceed `MEDIA_JOB_SECONDS` and `TRANSCRIPTION_JOB_SECONDS`',
    { default: 3_600, min: 1, max: DAY_SECONDS },
  ),
  searchesAtOnce: integer(
    'SEARCHES_AT_ONCE',
    'concurrent searches by words in this process; more get 503 with `Retry-After`. [Owners share them](operations.md#shares-of-owners): one owner gets at most half',
    { default: 4, min: 1 },
  ),
  // Each export uses one of the 50 MongoDB connections, which all work shares.
  exportsAtOnce: integer(
    'EXPORTS_AT_ONCE',
    'concurrent exports in this process; more get 429 with `Retry-After`. [Owners share them](operations.md#shares-of-owners): one owner gets at most half. The gateway has its own limits',
    { default: EXPORTS_AT_ONCE, min: 1, max: EXPORTS_AT_ONCE },
  ),
  exportMemoryBytes: integer(
    'EXPORT_MEMORY_BYTES',
    'the memory of archives that are being made; others wait, in [turns of their owners](operations.md#shares-of-owners)',
    {
      ...EIGHTH_OF_MEMORY,
      min: 1024 ** 2,
    },
  ),
  // An archive expires after a week even if it is in use.
  exportResumeSeconds: integer(
    'EXPORT_RESUME_SECONDS',
    'how long after its last byte a download of project.zip can resume in the same archive',
    { default: DAY_SECONDS, min: 60, max: 7 * DAY_SECONDS },
  ),
  presignSeconds: integer('PRESIGN_SECONDS', 'the validity of an internal media address', {
    default: 3600,
    min: 60,
    max: 7 * DAY_SECONDS,
  }),
};

export type Config = Values<typeof variables>;

/** Throws a ConfigError that lists all invalid settings. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  return loadConfig(env, variables);
}
