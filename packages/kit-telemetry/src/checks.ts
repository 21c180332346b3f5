import { readFileSync } from 'node:fs';

/** Returns the rule for a value, as words that follow the name of its variable; undefined for a valid value. */
export type Check = (value: string, env: NodeJS.ProcessEnv) => string | undefined;

const SIGNALS = ['TRACES', 'METRICS', 'LOGS'] as const;
const PROTOCOLS = ['grpc', 'http/protobuf', 'http/json'];
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap(name => [name, `parentbased_${name}`]);
const PROPAGATORS = ['tracecontext', 'baggage', 'b3', 'b3multi'];
const DETECTORS = ['all', 'none', 'env', 'host', 'os', 'process', 'serviceinstance'];
// The SDK's own limit. If one attribute is longer, the SDK drops all attributes.
const ATTRIBUTE_CHARACTERS = 255;

const words = (values: readonly string[]): string =>
  values.length > 1 ? `${values.slice(0, -1).join(', ')} or ${values.at(-1)}` : values.join();

const oneOf =
  (...values: string[]): Check =>
  value =>
    values.includes(value) ? undefined : `must be ${words(values)}`;

/** Ignores case, as the specification requires: `TRUE` is `true`. */
const oneWordOf = (...values: string[]): Check => {
  const lower = values.map(each => each.toLowerCase());
  return value => (lower.includes(value.trim().toLowerCase()) ? undefined : `must be ${words(values)}`);
};

const itemsOf = (value: string): string[] => value.split(',').map(item => item.trim());

/** Accepts several values, separated by commas. A list with `none` or `all` must have no other value. */
const someOf =
  (...values: string[]): Check =>
  value => {
    const items = itemsOf(value);
    if (items.some(item => !values.includes(item))) return `must be ${words(values)}, several separated by commas`;
    return items.length > 1 && items.some(item => item === 'none' || item === 'all')
      ? 'must have none or all alone'
      : undefined;
  };

/** The SDK treats a value below `min` as not set. */
const whole =
  (min: number, max: number = Number.MAX_SAFE_INTEGER): Check =>
  value =>
    /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : max === Number.MAX_SAFE_INTEGER
        ? `must be a whole number from ${min}`
        : `must be a whole number from ${min} to ${max}`;

const ratio: Check = value =>
  /^\d*\.?\d+(e-\d+)?$/i.test(value) && Number(value) <= 1 ? undefined : 'must be a number from 0 to 1';

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

const pairs =
  (name: RegExp, value: RegExp, fits: (decoded: string) => boolean, what = 'NAME=VALUE'): Check =>
  text => {
    const isWhole = text.split(',').every(pair => {
      const [key = '', ...rest] = pair.split('=');
      const parts = [key.trim(), rest.join('=').trim()] as const;
      const isPair = rest.length > 0 && name.test(parts[0]) && value.test(parts[1]);
      return isPair && parts.every(part => isDecodable(part) && fits(decodeURIComponent(part)));
    });
    return isWhole ? undefined : `must be ${what}, separated by commas, with other signs percent-encoded`;
  };

// The SDK drops everything after a semicolon. If a name or a value has other characters, gRPC fails with an error that
// ends the process and contains the value.
const headers = pairs(/^[\w.-]+(?<!-bin)$/i, /^[^;]+$/, text => /^[ -~]+$/.test(text), 'NAME=VALUE in printable ASCII');
const attributes = pairs(/^[^\s=]+$/, /^[^=]*$/, text => text.length <= ATTRIBUTE_CHARACTERS);

export const HOST_AND_PORT = /^[^\s/]+:\d{1,5}$/;
export const ADDRESS = 'must be an absolute http or https address';
const address: Check = value =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) ? undefined : ADDRESS;

/** Only gRPC accepts `host:port`. `readSignals` checks this for the endpoint of all signals. */
const endpoint =
  (signal?: string): Check =>
  (value, env) => {
    const own = signal && env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`];
    const mayBeBare = !signal || (own || env.OTEL_EXPORTER_OTLP_PROTOCOL) === 'grpc';
    return mayBeBare && HOST_AND_PORT.test(value) ? undefined : address(value, env);
  };

/** Returns whether telemetry is off; this variable overrides all others. */
export const isDisabled = (env: NodeJS.ProcessEnv): boolean => env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true';

// Does not check a file in a migration, because a migration has the settings of the services, but not their files.
const file: Check = (value, env) => {
  if (isDisabled(env)) return undefined;
  try {
    readFileSync(value);
    return undefined;
  } catch {
    return 'must name a file that can be read';
  }
};

const unread: Check = () => 'is not read here: unset it, and set the variables that it would replace';

function exporterChecks(prefix: string, signal?: string): Record<string, Check> {
  return {
    [`${prefix}_ENDPOINT`]: endpoint(signal),
    [`${prefix}_PROTOCOL`]: oneOf(...PROTOCOLS),
    [`${prefix}_HEADERS`]: headers,
    [`${prefix}_TIMEOUT`]: whole(1),
    [`${prefix}_COMPRESSION`]: oneOf('gzip', 'none'),
    [`${prefix}_INSECURE`]: oneWordOf('true', 'false'),
    [`${prefix}_CERTIFICATE`]: file,
    [`${prefix}_CLIENT_CERTIFICATE`]: file,
    [`${prefix}_CLIENT_KEY`]: file,
  };
}

function batchChecks(prefix: string): Record<string, Check> {
  return {
    [`${prefix}_SCHEDULE_DELAY`]: whole(1),
    [`${prefix}_EXPORT_TIMEOUT`]: whole(1),
    [`${prefix}_MAX_QUEUE_SIZE`]: whole(1),
    [`${prefix}_MAX_EXPORT_BATCH_SIZE`]: (value, env) => {
      const queue = Number(env[`${prefix}_MAX_QUEUE_SIZE`] || 2_048);
      return whole(1)(value, env) ?? (Number(value) > queue ? `must not be above ${prefix}_MAX_QUEUE_SIZE` : undefined);
    },
  };
}

/**
 * The check of every variable that the SDK reads. The SDK replaces a malformed value by a default and reports this only
 * in a log that is off by default. docs/telemetry.md explains each variable.
 */
export const CHECKS: Readonly<Record<string, Check>> = {
  OTEL_SDK_DISABLED: oneWordOf('true', 'false'),
  OTEL_CONFIG_FILE: unread,
  OTEL_EXPERIMENTAL_CONFIG_FILE: unread,
  OTEL_LOG_LEVEL: oneWordOf('none', 'error', 'warn', 'info', 'debug', 'verbose', 'all'),
  OTEL_SERVICE_NAME: () => undefined,
  OTEL_RESOURCE_ATTRIBUTES: attributes,
  OTEL_NODE_RESOURCE_DETECTORS: someOf(...DETECTORS),
  OTEL_NODE_EXPERIMENTAL_SDK_METRICS: oneWordOf('true', 'false'),
  OTEL_SEMCONV_STABILITY_OPT_IN: () => undefined,
  OTEL_PROPAGATORS: (value, env) =>
    someOf(...PROPAGATORS)(value, env) ??
    (itemsOf(value).includes('tracecontext')
      ? undefined
      : 'must have tracecontext among them: events keep it in that form'),
  OTEL_TRACES_EXPORTER: oneOf('otlp', 'none'),
  OTEL_METRICS_EXPORTER: someOf('otlp', 'prometheus', 'none'),
  OTEL_LOGS_EXPORTER: oneOf('otlp', 'none'),
  ...exporterChecks('OTEL_EXPORTER_OTLP'),
  ...Object.assign({}, ...SIGNALS.map(signal => exporterChecks(`OTEL_EXPORTER_OTLP_${signal}`, signal))),
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: oneWordOf('cumulative', 'delta', 'lowmemory'),
  OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION: oneOf('explicit_bucket_histogram'),
  OTEL_EXPORTER_ZIPKIN_ENDPOINT: () => 'is not read here: unset it, spans are sent over OTLP alone',
  OTEL_EXPORTER_PROMETHEUS_HOST: () => undefined,
  OTEL_EXPORTER_PROMETHEUS_PORT: whole(1, 65_535),
  OTEL_METRIC_EXPORT_INTERVAL: whole(1),
  OTEL_METRIC_EXPORT_TIMEOUT: whole(1),
  OTEL_METRICS_EXEMPLAR_FILTER: oneOf('always_on', 'always_off', 'trace_based'),
  OTEL_TRACES_SAMPLER: oneOf(...SAMPLERS),
  OTEL_TRACES_SAMPLER_ARG: ratio,
  ...batchChecks('OTEL_BSP'),
  ...batchChecks('OTEL_BLRP'),
  OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: whole(1),
  OTEL_ATTRIBUTE_COUNT_LIMIT: whole(1),
  OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: whole(0),
  OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: whole(0),
  OTEL_SPAN_EVENT_COUNT_LIMIT: whole(0),
  OTEL_SPAN_LINK_COUNT_LIMIT: whole(0),
  OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT: whole(0),
  OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT: whole(0),
  OTEL_LINK_ATTRIBUTE_COUNT_LIMIT: whole(0),
  OTEL_SPAN_ATTRIBUTE_PER_LINK_COUNT_LIMIT: whole(0),
  OTEL_LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT: whole(1),
  OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT: whole(1),
};

/** The checks of our own variables. */
export const OWN_CHECKS: Readonly<Record<string, Check>> = { TRACE_READS_RATIO: ratio };
