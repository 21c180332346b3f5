import { TOMBSTONE_DAYS } from '@recording-request/events/tombstones';
import {
  flag,
  grpcVariables,
  healthVariables,
  integer,
  internalVariables,
  loadConfig,
  operatorVariables,
  processVariables,
  target,
  text,
  url,
  type Variable,
} from '@recording-request/kit/config';
import { figureVariables } from '@recording-request/kit/figure-variables';
import { kafkaVariables } from '@recording-request/kit/kafka-variables';
import { mongoVariables } from '@recording-request/kit/store-variables';

const DAY_SEC = 86_400;

/** Seconds, separated by commas; fractions are allowed, so that tests can shorten them. */
function secondsList(name: string, fallback: number[]): Variable<number[]> {
  return {
    name,
    required: false,
    parse(value) {
      if (value === undefined) return fallback;
      const items = value.split(',').map(item => (/^\s*\d+(\.\d+)?\s*$/.test(item) ? Number(item) : Number.NaN));
      if (!items.every(item => item > 0)) throw new Error('must be seconds above 0, separated by commas');
      return items;
    },
  };
}

function optionalList(name: string): Variable<string[] | undefined> {
  return { name, required: false, parse: value => value?.split(',').map(item => item.trim()) };
}

/** Those of the database: a migration reads them alone. */
export const databaseVariables = {
  ...mongoVariables,
  tombstoneSec: integer('WEBHOOK_TOMBSTONE_SECONDS', { default: TOMBSTONE_DAYS * DAY_SEC, min: 1 }),
};

/** Reads this service's variables; the README's table explains each. */
export const readConfig = (env: NodeJS.ProcessEnv) =>
  loadConfig(env, {
    ...processVariables,
    ...grpcVariables,
    ...operatorVariables,
    ...healthVariables,
    ...internalVariables,
    ...databaseVariables,
    ...kafkaVariables,
    ...figureVariables,
    projectsGrpc: target('PROJECTS_GRPC'),
    submissionsGrpc: target('SUBMISSIONS_GRPC'),
    publicBaseUrl: url('PUBLIC_BASE_URL'),
    allowHttpUrls: flag('ALLOW_HTTP_URLS'),
    allowPrivateTargets: flag('WEBHOOK_ALLOW_PRIVATE_TARGETS'),
    dnsServers: optionalList('WEBHOOK_DNS_SERVERS'),
    headerPrefix: text('WEBHOOK_HEADER_PREFIX', {
      default: 'service',
      pattern: /^[a-z][a-z0-9-]{0,40}$/,
      describe: 'lower-case letters, digits and hyphens',
    }),
    attemptTimeoutMs: integer('WEBHOOK_ATTEMPT_TIMEOUT_MS', { default: 15_000, min: 1 }),
    answerBytes: integer('WEBHOOK_ANSWER_BYTES', { default: 16_384, min: 0 }),
    retryScheduleSec: secondsList('WEBHOOK_RETRY_SCHEDULE_SECONDS', [
      5,
      300,
      1_800,
      7_200,
      18_000,
      36_000,
      50_400,
      72_000,
      DAY_SEC,
    ]),
    pauseAfterMs: integer('WEBHOOK_PAUSE_AFTER_MS', { default: 5 * DAY_SEC * 1000, min: 1 }),
    pausedCheckMs: integer('WEBHOOK_PAUSED_CHECK_MS', { default: 30_000, min: 1 }),
    concurrency: integer('WEBHOOK_CONCURRENCY', { default: 128, min: 1 }),
    endpointConcurrency: integer('WEBHOOK_ENDPOINT_CONCURRENCY', { default: 8, min: 1 }),
    slowAnswerMs: integer('WEBHOOK_SLOW_ANSWER_MS', { default: 1_000, min: 1 }),
    leaseMarginMs: integer('WEBHOOK_LEASE_MARGIN_MS', { default: 15_000, min: 1 }),
    pollMs: integer('WEBHOOK_POLL_MS', { default: 1_000, min: 1 }),
    consumers: integer('WEBHOOK_CONSUMERS', { default: 2, min: 1 }),
    redeliverMax: integer('WEBHOOK_REDELIVER_MAX', { default: 10_000, min: 1, max: 1_000_000 }),
    stopMs: integer('WEBHOOK_STOP_MS', { default: 18_000, min: 0 }),
    ledgerDays: integer('WEBHOOK_LEDGER_DAYS', { default: 90, min: 0, max: 36_500 }),
  });

export type Config = ReturnType<typeof readConfig>;
