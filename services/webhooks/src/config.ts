import { TOMBSTONE_DAYS } from '@recording-request/events/tombstones';
import { flag, integer, loadConfig, target, text, url, type Variable } from '@recording-request/kit/config';
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

const DAY_SEC = 86_400;

/** Parses a comma-separated list of seconds; fractions are allowed so that tests can shorten them. */
function secondsList(name: string, description: string, fallback: number[]): Variable<number[]> {
  return {
    name,
    description,
    expected: 'seconds above 0, separated by commas',
    required: false,
    parse(value) {
      if (value === undefined) return fallback;
      const items = value.split(',').map(item => (/^\s*\d+(\.\d+)?\s*$/.test(item) ? Number(item) : Number.NaN));
      if (!items.every(item => item > 0)) throw new Error('must be seconds above 0, separated by commas');
      return items;
    },
  };
}

function optionalList(name: string, description: string, expected: string): Variable<string[] | undefined> {
  return { name, description, expected, required: false, parse: value => value?.split(',').map(item => item.trim()) };
}

/** The database variables; a migration reads only these. */
export const databaseVariables = {
  ...mongoVariables,
  tombstoneSec: integer('WEBHOOK_TOMBSTONE_SECONDS', 'how long tombstones are kept; longer than Kafka keeps records', {
    default: TOMBSTONE_DAYS * DAY_SEC,
    min: 1,
  }),
};

export const variables = {
  ...processVariables,
  ...grpcVariables,
  ...operatorVariables,
  ...healthVariables,
  ...internalVariables,
  ...databaseVariables,
  ...kafkaVariables,
  ...figureVariables,
  ...secretsKeyVariables,
  projectsGrpc: target('PROJECTS_GRPC', 'the projects service'),
  submissionsGrpc: target('SUBMISSIONS_GRPC', 'the submissions service'),
  publicBaseUrl: url('PUBLIC_BASE_URL', 'the base of the URLs in a body'),
  allowHttpUrls: flag('ALLOW_HTTP_URLS', 'whether events are also sent over plain http'),
  allowPrivateTargets: flag(
    'WEBHOOK_ALLOW_PRIVATE_TARGETS',
    'whether events are also sent to loopback and private addresses. For a local stack; the log says when it is on',
  ),
  dnsServers: optionalList(
    'WEBHOOK_DNS_SERVERS',
    "name servers to ask instead of the system's",
    '`address[:port]`, several separated by commas',
  ),
  headerPrefix: text('WEBHOOK_HEADER_PREFIX', 'the start of header names such as `service-event`', {
    default: 'service',
    pattern: /^[a-z][a-z0-9-]{0,40}$/,
    expected: 'lower-case letters, digits and hyphens',
  }),
  attemptTimeoutMs: integer(
    'WEBHOOK_ATTEMPT_TIMEOUT_MS',
    'the time limit of an attempt: lookup, connection, headers and body together',
    {
      default: 15_000,
      min: 1,
    },
  ),
  answerBytes: integer('WEBHOOK_ANSWER_BYTES', 'the bytes read from an answer', { default: 16_384, min: 0 }),
  retryScheduleSec: secondsList('WEBHOOK_RETRY_SCHEDULE_SECONDS', 'waits between attempts; the last one repeats', [
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
  pauseAfterMs: integer('WEBHOOK_PAUSE_AFTER_MS', 'how long an endpoint may fail before it is paused', {
    default: 5 * DAY_SEC * 1000,
    min: 1,
  }),
  failingAfterMs: integer(
    'WEBHOOK_FAILING_AFTER_MS',
    'how long an endpoint fails before its project gets the event `webhook.failing`',
    { default: 900_000, min: 1 },
  ),
  pausedCheckMs: integer('WEBHOOK_PAUSED_CHECK_MS', "how often a paused or failing endpoint's address is checked", {
    default: 30_000,
    min: 1,
  }),
  concurrency: integer(
    'WEBHOOK_CONCURRENCY',
    'attempts at once in a process. [Owners share them](operations.md#shares-of-owners): at most half for one owner, a quarter for one project',
    { default: 128, min: 1 },
  ),
  endpointConcurrency: integer('WEBHOOK_ENDPOINT_CONCURRENCY', "attempts at once at one project's endpoint", {
    default: 8,
    min: 1,
  }),
  slowAnswerMs: integer('WEBHOOK_SLOW_ANSWER_MS', 'an answer that takes longer makes an endpoint slow', {
    default: 1_000,
    min: 1,
  }),
  leaseMarginMs: integer(
    'WEBHOOK_LEASE_MARGIN_MS',
    'the time by which a lease exceeds the time limit of an attempt; it covers the lookups before the attempt',
    {
      default: 15_000,
      min: 1_000,
    },
  ),
  pollMs: integer('WEBHOOK_POLL_MS', 'the longest time between two polls of the ledger', { default: 5_000, min: 1 }),
  consumers: integer('WEBHOOK_CONSUMERS', 'events recorded at once in a process', { default: 4, min: 1 }),
  redeliverMax: integer('WEBHOOK_REDELIVER_MAX', 'deliveries that one request may send again', {
    default: 10_000,
    min: 1,
    max: 1_000_000,
  }),
  stopMs: integer('WEBHOOK_STOP_MS', 'how long a stop waits for running attempts', { default: 18_000, min: 0 }),
  ledgerDays: integer(
    'WEBHOOK_LEDGER_DAYS',
    'the age at which deliveries are deleted that are neither pending nor paused; 0: never',
    { default: 90, min: 0, max: 36_500 },
  ),
  feedDays: integer(
    'FEED_DAYS',
    "how long an owner's events stay in the feed; a reader that continues after a longer break gets 410",
    { default: 30, min: 1, max: 3_650 },
  ),
};

export const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(env, variables);

export type Config = ReturnType<typeof readConfig>;
