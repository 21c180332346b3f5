import { DEFAULTS } from '@recording-request/contract/limits';
import { flag, integer, loadConfig, type Values } from '@recording-request/kit/config';
import { secretsKeyVariables } from '@recording-request/kit/secrets-key-variables';
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

const DAY = 86_400;

export const variables = {
  ...processVariables,
  ...grpcVariables,
  ...operatorVariables,
  ...healthVariables,
  ...internalVariables,
  ...mongoVariables,
  ...secretsKeyVariables,
  ...kafkaVariables,
  figuresSeconds: figureVariables.figuresSeconds,
  allowHttpUrls: flag('ALLOW_HTTP_URLS', 'whether `requestUrl` and `webhookUrl` may use plain http'),
  defaultExpirySeconds: integer(
    'DEFAULT_EXPIRY_SECONDS',
    'the time until expiry after an update that has only `neverExpire: false`',
    { default: DEFAULTS.expiresInDays * DAY, min: 1 },
  ),
  claimEmptyHoldSeconds: integer('CLAIM_EMPTY_HOLD_SECONDS', 'how long a claim without any byte is held', {
    default: 1_800,
    min: 1,
  }),
  claimHoldSeconds: integer('CLAIM_HOLD_SECONDS', 'how long a claim with bytes is held after its last renewal', {
    default: 7 * DAY,
    min: 1,
  }),
  claimSweepSeconds: integer(
    'CLAIM_SWEEP_SECONDS',
    'the interval of the sweeps for expired claims, interrupted transfers and unfinished erasures',
    { default: 30, min: 1 },
  ),
  reminderSweepSeconds: integer('REMINDER_SWEEP_SECONDS', 'the interval at which reminders that are due are sent', {
    default: 10,
    min: 1,
    max: 3_600,
  }),
  claimLeaseMs: integer(
    'CLAIM_LEASE_MS',
    'the lease of a replica on a transfer; another replica takes it over after twice this time',
    { default: 10_000, min: 100 },
  ),
  retentionDays: integer(
    'RETENTION_DAYS',
    'the age at which submissions erases every clip; here, the longest `retentionDays` of a project. 0: no limit',
    { default: 0, max: 36_500 },
  ),
  sandboxSeconds: integer('SANDBOX_SECONDS', 'the lifetime of a sandbox; then it is erased with its links and clips', {
    default: DAY,
    min: 1,
    max: 30 * DAY,
  }),
  webhookSecretOverlapSeconds: integer('WEBHOOK_SECRET_OVERLAP_SECONDS', 'how long the previous secret still signs', {
    default: DAY,
    min: 0,
  }),
  idempotencyKeepSeconds: integer('IDEMPOTENCY_KEEP_SECONDS', 'how long an answer is stored for repeated requests', {
    default: DAY,
    min: 1,
  }),
  idempotencyLeaseSeconds: integer(
    'IDEMPOTENCY_LEASE_SECONDS',
    "the time after which an unfinished first request counts as dead; longer than a transaction's 20 s",
    { default: 30, min: 1 },
  ),
};

export type Config = Values<typeof variables>;

/** Fails with a ConfigError that lists all faults. */
export const readConfig = (env: NodeJS.ProcessEnv): Config => loadConfig(env, variables);
