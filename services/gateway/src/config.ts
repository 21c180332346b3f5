import { DEFAULTS, EXPORTS_AT_ONCE } from '@recording-request/contract/limits';
import {
  ConfigError,
  flag,
  integer,
  listen,
  loadConfig,
  oneOf,
  secret,
  secretText,
  target,
  text,
  url,
  type Values,
  type Variable,
} from '@recording-request/kit/config';
import { memoryLimit } from '@recording-request/kit/memory-limit';
import { healthVariables, internalVariables, processVariables } from '@recording-request/kit/service-variables';
import { certificateFile } from '@recording-request/kit/tls-files';
import { accentFault } from '@recording-request/web-shared/brand';
import { logoFile } from './adapters/brand-logo.ts';
import { offloadFault } from './adapters/media-offload.ts';
import { parseTrustedProxies, type TrustedProxies } from './adapters/trusted-proxies.ts';

export const variables = {
  httpListen: listen('HTTP_LISTEN', 'the address to serve; port 0 takes a free one', '0.0.0.0:8080'),
  publicBaseUrl: url('PUBLIC_BASE_URL', 'the public address; every link in an answer begins with it'),
  projectsGrpc: target('PROJECTS_GRPC', 'the projects service'),
  submissionsGrpc: target('SUBMISSIONS_GRPC', 'the submissions service'),
  webhooksGrpc: target('WEBHOOKS_GRPC', 'the webhooks service'),
  submissionsHttp: url('SUBMISSIONS_HTTP', 'the address for uploads: https, or http if `INTERNAL_PLAINTEXT` is `true`'),
  rateLimitTokenPerMinute: integer(
    'RATE_LIMIT_TOKEN_PER_MINUTE',
    "requests of one API or dashboard token; a dashboard's viewer (address) that has used less than a quarter is admitted even after others have used it up",
    { default: 1_200, min: 1 },
  ),
  rateLimitAddressPerMinute: integer(
    'RATE_LIMIT_ADDRESS_PER_MINUTE',
    'requests of one address on anonymous routes, with its failed authentications; separately, the same number on unknown routes (404, 405)',
    { default: 300, min: 1 },
  ),
  rateLimitContributorPerMinute: integer(
    'RATE_LIMIT_CONTRIBUTOR_PER_MINUTE',
    "requests of one address that a contributor's page sends by itself (`opened`, notes, the state of a response, the QR code, the thank-you page); separately, the same number for the files that pages load. Uploads never count",
    { default: 1_200, min: 1 },
  ),
  redisUrl: secretText(
    'REDIS_URL',
    'a Redis or Valkey in which all gateways share counts; without one, and while it does not answer, each gateway counts alone',
    { default: '', pattern: /^(?:rediss?:\/\/.+)?$/, expected: 'a redis:// or rediss:// URL' },
  ),
  redisCaFile: certificateFile(
    'REDIS_CA_FILE',
    'the certificate authorities for Redis with a `rediss://` address, instead of Node’s own list',
  ),
  trustedProxies: proxies(
    'TRUSTED_PROXIES',
    'the proxies in front that set `X-Forwarded-For`: their number, or their addresses and ranges. With addresses, only these peers are believed. `GET /healthz/client` shows the result',
  ),
  trustTraceparent: flag(
    'TRUST_TRACEPARENT',
    'whether to keep the `traceparent` of the last of these proxies: [telemetry](telemetry.md)',
  ),
  tokenCacheMs: integer('TOKEN_CACHE_MS', 'how long the look-up of a token is cached', {
    default: 5_000,
    max: 5_000,
  }),
  tokenCacheEntries: integer('TOKEN_CACHE_ENTRIES', 'the number of cached tokens of each kind', {
    default: 10_000,
    min: 1,
  }),
  linkExpiryDefaultSeconds: integer('LINK_EXPIRY_DEFAULT_SECONDS', 'the expiry of links if the request has none', {
    default: DEFAULTS.expiresInDays * 86_400,
    min: 1,
  }),
  bodyLimitBytes: integer('BODY_LIMIT_BYTES', 'the longest JSON body; an import of people may have 8 MiB', {
    default: 1_048_576,
    min: 1_024,
  }),
  bodyMemoryBytes: integer(
    'BODY_MEMORY_BYTES',
    'memory for bodies over 16 KiB until their requests are answered, at most half of it for one owner; more bodies are 503 with `Retry-After`',
    { default: Math.floor(memoryLimit() / 16), unset: 'a sixteenth of the memory limit', min: 8 * 1024 ** 2 },
  ),
  bodyTimeoutMs: integer('BODY_TIMEOUT_MS', 'the time limit for a JSON body to arrive', { default: 30_000, min: 1 }),
  connectionsPerAddress: integer(
    'CONNECTIONS_PER_ADDRESS',
    'concurrent connections of one address; more are closed. Does not apply to `TRUSTED_PROXIES`, which must limit their clients themselves',
    { default: 2_000, min: 1 },
  ),
  idleTimeoutMs: integer(
    'IDLE_TIMEOUT_MS',
    'an idle connection is closed after this time; the only timeout of uploads, media and exports. Keep it above 60 s, the longest wait for a service',
    { default: 120_000, min: 1 },
  ),
  uploadsAtOnce: integer(
    'UPLOADS_AT_ONCE',
    'concurrent upload requests; more are 503 with `Retry-After`. [Owners share them](operations.md#shares-of-owners): at most half for one owner or one address, a quarter for one link or one address with one owner, an eighth for one address at one link or with one project',
    { default: 1_000, min: 1 },
  ),
  exportsAtOnce: integer(
    'EXPORTS_AT_ONCE',
    'concurrent exports, the same number as in one replica of submissions; more are 429 with `Retry-After`. [Owners share them](operations.md#shares-of-owners): at most half for one owner, a quarter for one API or dashboard token',
    { default: EXPORTS_AT_ONCE, min: 1 },
  ),
  mediaAtOnce: integer(
    'MEDIA_AT_ONCE',
    'videos and audio that this process sends concurrently; more are 429 with `Retry-After`. A paused player holds one. Shared like `EXPORTS_AT_ONCE`',
    { default: 512, min: 1 },
  ),
  listsAtOnce: integer(
    'LISTS_AT_ONCE',
    'lists of several pages, such as all links of a project, that this process sends concurrently; more are 429 with `Retry-After`. Shared like `EXPORTS_AT_ONCE`',
    { default: 64, min: 1 },
  ),
  answerMemoryBytes: integer(
    'ANSWER_MEMORY_BYTES',
    'memory for answers until their clients have read them, at most half of it for one owner; more answers are 503 with `Retry-After`',
    { default: Math.floor(memoryLimit() / 8), unset: 'an eighth of the memory limit', min: 4 * 1024 ** 2 },
  ),
  // Longer than the wait for an upload's lease (8 s) plus the wait for the answer to a landing (10 s).
  uploadStallMs: integer(
    'UPLOAD_STALL_MS',
    'an upload whose bytes do not move and that gets no answer for this time ends with 503 and `Retry-After`',
    { default: 25_000, min: 100, max: 120_000 },
  ),
  eventLoopDelayLimitMs: integer(
    'EVENT_LOOP_DELAY_LIMIT_MS',
    'if the delay is longer for two seconds, all requests except `/healthz` are 503 with `Retry-After`; 0 disables this',
    { default: 1_000 },
  ),
  mediaOffload: oneOf(
    'MEDIA_OFFLOAD',
    '`accel`: an nginx in front, set up like [deploy/nginx](../deploy/nginx/README.md), sends media from the store itself; needs `TRUSTED_PROXIES`',
    ['none', 'accel'],
    'none',
  ),
  mediaOffloadSecret: secret(
    'MEDIA_OFFLOAD_SECRET',
    'the secret that this nginx sends; a request without it gets the bytes from the gateway',
    {
      default: '',
      expected: '32 to 256 letters, digits and `. _ ~ + / = -`',
    },
  ),
  s3CaFile: certificateFile(
    'S3_CA_FILE',
    'the authorities to trust for an object store over TLS; they replace the authorities of Node',
  ),
  mcp: oneOf(
    'MCP',
    '`off` removes `POST /mcp`, the server for agents: [security](security.md#agents)',
    ['on', 'off'],
    'on',
  ),
  allowHttpUrls: flag('ALLOW_HTTP_URLS', 'whether `requestUrl` and `webhookUrl` may use plain http'),
  brandAccent: accentColour(
    'BRAND_ACCENT',
    'the accent colour of all pages. Refused if its contrast with white is below 3:1; dark backgrounds use a lighter shade; text on it is black or white, whichever is more readable',
    '#0b6b74',
  ),
  brandName: text('BRAND_NAME', "the logo's alternative text; shown as text if there is no logo", {
    default: '',
    pattern: /^.{1,60}$/u,
    expected: 'one line of at most 60 characters',
  }),
  brandLogo: logoFile(
    'BRAND_LOGO_FILE',
    'the image file at the top of all pages; the gateway reads it once, at the start, and serves it',
  ),
  ...healthVariables,
  ...internalVariables,
  ...processVariables,
};

export type Config = Values<typeof variables>;

function proxies(name: string, description: string): Variable<TrustedProxies> {
  const expected = 'a whole number from 0 to 10, or addresses and ranges such as 10.0.7.0/24, separated by commas';
  return {
    ...{ name, description, expected, required: false },
    unset: '`0`',
    parse(text = '0') {
      const value = parseTrustedProxies(text);
      if (!value) throw new Error(`must be ${expected}`);
      return value;
    },
  };
}

function accentColour(name: string, description: string, fallback: string): Variable<string> {
  return {
    name,
    description,
    expected: `a colour such as ${fallback}`,
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
  if (config.trustTraceparent && !config.trustedProxies.areSet)
    throw new ConfigError(['TRUST_TRACEPARENT needs TRUSTED_PROXIES: it is the traceparent of a proxy']);
  if (config.redisCaFile && !config.redisUrl.startsWith('rediss:'))
    throw new ConfigError(['REDIS_CA_FILE is set, but REDIS_URL is not a rediss:// address']);
  const fault = offloadFault(config);
  if (fault) throw new ConfigError([fault]);
  const scheme = internalPlaintext ? 'http' : 'https';
  if (!submissionsHttp.startsWith(`${scheme}:`))
    throw new ConfigError([
      `SUBMISSIONS_HTTP must begin with ${scheme}:// if INTERNAL_PLAINTEXT is ${internalPlaintext}`,
    ]);
  return config;
}
