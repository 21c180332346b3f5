import { DEFAULTS } from '@recording-request/contract/limits';
import {
  flag,
  grpcVariables,
  healthVariables,
  integer,
  internalVariables,
  list,
  loadConfig,
  operatorVariables,
  processVariables,
  secretText,
  type Values,
} from '@recording-request/kit/config';
import { parseKeys } from '@recording-request/kit/secret-box';
import { mongoVariables } from '@recording-request/kit/store-variables';

const DAY = 86_400;

const secretKeys = secretText('SECRETS_KEY');

const variables = {
  ...processVariables,
  ...grpcVariables,
  ...operatorVariables,
  ...healthVariables,
  ...internalVariables,
  ...mongoVariables,
  secretsKey: {
    ...secretKeys,
    parse(value: string | undefined, env: NodeJS.ProcessEnv): string {
      const keys = secretKeys.parse(value, env);
      parseKeys(keys);
      return keys;
    },
  },
  secretsKeysLost: list('SECRETS_KEYS_LOST', { default: [] }),
  allowHttpUrls: flag('ALLOW_HTTP_URLS'),
  defaultExpirySeconds: integer('DEFAULT_EXPIRY_SECONDS', { default: DEFAULTS.expiresInDays * DAY, min: 1 }),
  claimEmptyHoldSeconds: integer('CLAIM_EMPTY_HOLD_SECONDS', { default: 1_800, min: 1 }),
  claimHoldSeconds: integer('CLAIM_HOLD_SECONDS', { default: 7 * DAY, min: 1 }),
  claimSweepSeconds: integer('CLAIM_SWEEP_SECONDS', { default: 30, min: 1 }),
  claimLeaseMs: integer('CLAIM_LEASE_MS', { default: 10_000, min: 100 }),
  webhookSecretOverlapSeconds: integer('WEBHOOK_SECRET_OVERLAP_SECONDS', { default: DAY, min: 0 }),
  idempotencyKeepSeconds: integer('IDEMPOTENCY_KEEP_SECONDS', { default: DAY, min: 1 }),
  idempotencyLeaseSeconds: integer('IDEMPOTENCY_LEASE_SECONDS', { default: 30, min: 1 }),
};

export type Config = Values<typeof variables>;

/** Every variable that this service reads; README.md explains them. Throws ConfigError with all faults. */
export const readConfig = (env: NodeJS.ProcessEnv): Config => loadConfig(env, variables);
