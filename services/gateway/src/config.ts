import { DEFAULTS } from '@recording-request/contract/limits';
import {
  ConfigError,
  flag,
  healthVariables,
  integer,
  internalVariables,
  listen,
  loadConfig,
  oneOf,
  processVariables,
  secret,
  secretText,
  target,
  text,
  url,
  type Values,
  type Variable,
} from '@recording-request/kit/config';
import { certificateFile } from '@recording-request/kit/tls-files';
import { accentFault } from '@recording-request/web-shared/brand';
import { logoFile } from './adapters/brand-logo.ts';
import { offloadFault } from './adapters/media-offload.ts';

/** Every variable of the gateway; README.md says what each means. */
const variables = {
  httpListen: listen('HTTP_LISTEN', '0.0.0.0:8080'),
  publicBaseUrl: url('PUBLIC_BASE_URL'),
  projectsGrpc: target('PROJECTS_GRPC'),
  submissionsGrpc: target('SUBMISSIONS_GRPC'),
  webhooksGrpc: target('WEBHOOKS_GRPC'),
  submissionsHttp: url('SUBMISSIONS_HTTP'),
  rateLimitTokenPerMinute: integer('RATE_LIMIT_TOKEN_PER_MINUTE', { default: 1_200, min: 1 }),
  rateLimitAddressPerMinute: integer('RATE_LIMIT_ADDRESS_PER_MINUTE', { default: 300, min: 1 }),
  rateLimitContributorPerMinute: integer('RATE_LIMIT_CONTRIBUTOR_PER_MINUTE', { default: 1_200, min: 1 }),
  redisUrl: secretText('REDIS_URL', {
    default: '',
    pattern: /^(?:rediss?:\/\/.+)?$/,
    describe: 'a redis:// or rediss:// URL',
  }),
  trustedProxies: integer('TRUSTED_PROXIES', { default: 0, max: 10 }),
  trustTraceparent: flag('TRUST_TRACEPARENT'),
  tokenCacheMs: integer('TOKEN_CACHE_MS', { default: 5_000, max: 5_000 }),
  tokenCacheEntries: integer('TOKEN_CACHE_ENTRIES', { default: 10_000, min: 1 }),
  linkExpiryDefaultSeconds: integer('LINK_EXPIRY_DEFAULT_SECONDS', {
    default: DEFAULTS.expiresInDays * 86_400,
    min: 1,
  }),
  bodyLimitBytes: integer('BODY_LIMIT_BYTES', { default: 1_048_576, min: 1_024 }),
  bodyTimeoutMs: integer('BODY_TIMEOUT_MS', { default: 30_000, min: 1 }),
  idleTimeoutMs: integer('IDLE_TIMEOUT_MS', { default: 120_000, min: 1 }),
  uploadsAtOnce: integer('UPLOADS_AT_ONCE', { default: 1_000, min: 1 }),
  uploadsAtOncePerLink: integer('UPLOADS_AT_ONCE_PER_LINK', { default: 500, min: 1 }),
  uploadsAtOncePerClient: integer('UPLOADS_AT_ONCE_PER_CLIENT', { default: 100, min: 1 }),
  exportsAtOnce: integer('EXPORTS_AT_ONCE', { default: 40, min: 1 }),
  exportsAtOncePerOwner: integer('EXPORTS_AT_ONCE_PER_OWNER', { default: 16, min: 1 }),
  exportsAtOncePerToken: integer('EXPORTS_AT_ONCE_PER_TOKEN', { default: 8, min: 1 }),
  mediaAtOnce: integer('MEDIA_AT_ONCE', { default: 512, min: 1 }),
  mediaAtOncePerOwner: integer('MEDIA_AT_ONCE_PER_OWNER', { default: 256, min: 1 }),
  mediaAtOncePerToken: integer('MEDIA_AT_ONCE_PER_TOKEN', { default: 128, min: 1 }),
  // Longer than a landing's answer (10 s) after a wait for the upload's lease (8 s).
  uploadStallMs: integer('UPLOAD_STALL_MS', { default: 25_000, min: 100, max: 120_000 }),
  eventLoopDelayLimitMs: integer('EVENT_LOOP_DELAY_LIMIT_MS', { default: 1_000 }),
  mediaOffload: oneOf('MEDIA_OFFLOAD', ['none', 'accel'], 'none'),
  mediaOffloadSecret: secret('MEDIA_OFFLOAD_SECRET', { default: '' }),
  s3CaFile: certificateFile('S3_CA_FILE'),
  allowHttpUrls: flag('ALLOW_HTTP_URLS'),
  brandAccent: accentColour('BRAND_ACCENT', '#0b6b74'),
  brandName: text('BRAND_NAME', { default: '', pattern: /^.{1,60}$/u, describe: 'one line of at most 60 characters' }),
  brandLogo: logoFile('BRAND_LOGO_FILE'),
  ...healthVariables,
  ...internalVariables,
  ...processVariables,
};

export type Config = Values<typeof variables>;

function accentColour(name: string, fallback: string): Variable<string> {
  return {
    name,
    required: false,
    parse(text = fallback) {
      const fault = accentFault(text, fallback);
      if (fault) throw new Error(fault);
      return text.toLowerCase();
    },
  };
}

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const config = loadConfig(env, variables);
  const { internalPlaintext, submissionsHttp } = config;
  if (config.trustTraceparent && config.trustedProxies === 0)
    throw new ConfigError([
      'TRUST_TRACEPARENT needs TRUSTED_PROXIES to be 1 or more: it is the traceparent of a proxy',
    ]);
  const fault = offloadFault(config);
  if (fault) throw new ConfigError([fault]);
  const scheme = internalPlaintext === 'true' || internalPlaintext === 'send' ? 'http' : 'https';
  if (!submissionsHttp.startsWith(`${scheme}:`))
    throw new ConfigError([
      `SUBMISSIONS_HTTP must begin with ${scheme}:// where INTERNAL_PLAINTEXT is ${internalPlaintext}`,
    ]);
  return config;
}
