import { ConfigError } from '../config.ts';

/** Which signals leave the process: those that a variable asks for. */
export interface Signals {
  traces: boolean;
  metrics: boolean;
}

const PROTOCOLS = ['grpc', 'http/protobuf', 'http/json'];
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap(name => [name, `parentbased_${name}`]);
const address = (value: string) =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
    ? undefined
    : 'must be an absolute http or https address';
const oneOf = (values: readonly string[]) => (value: string) =>
  value.split(',').every(each => values.includes(each.trim()))
    ? undefined
    : `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
const whole = (value: string) => (/^\d+$/.test(value) ? undefined : 'must be a whole number');
const flag = oneOf(['true', 'false']);
const ratio = (value: string) =>
  Number(value) >= 0 && Number(value) <= 1 ? undefined : 'must be a number from 0 to 1';
const pairs = (value: string) =>
  value.split(',').every(each => /^\s*[^=\s,]+\s*=[^,]*$/.test(each))
    ? undefined
    : 'must be NAME=VALUE, separated by commas';

/** What the SDK would replace by a default, with no more than a line in a log that is off. */
const CHECKS: Record<string, (value: string) => string | undefined> = {
  OTEL_SDK_DISABLED: flag,
  OTEL_TRACES_EXPORTER: oneOf(['otlp', 'none']),
  OTEL_METRICS_EXPORTER: oneOf(['otlp', 'prometheus', 'none']),
  OTEL_EXPORTER_OTLP_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf(PROTOCOLS),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: oneOf(PROTOCOLS),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: oneOf(PROTOCOLS),
  OTEL_EXPORTER_OTLP_HEADERS: pairs,
  OTEL_EXPORTER_OTLP_TIMEOUT: whole,
  OTEL_EXPORTER_PROMETHEUS_PORT: whole,
  OTEL_METRIC_EXPORT_INTERVAL: whole,
  OTEL_METRIC_EXPORT_TIMEOUT: whole,
  OTEL_BSP_SCHEDULE_DELAY: whole,
  OTEL_BSP_MAX_QUEUE_SIZE: whole,
  OTEL_RESOURCE_ATTRIBUTES: pairs,
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS),
  OTEL_TRACES_SAMPLER_ARG: ratio,
};

/**
 * Reads which signals the standard variables ask for. A signal is on where its exporter is named, or an endpoint for it or for all;
 * none is while none of these is set. Fails with a ConfigError that names each malformed variable, never its value.
 */
export function readSignals(env: NodeJS.ProcessEnv): Signals {
  const faults = Object.entries(CHECKS).flatMap(([name, check]) => {
    const fault = env[name] ? check(env[name]) : undefined;
    return fault === undefined ? [] : [`${name} ${fault}`];
  });
  if (faults.length > 0) throw new ConfigError(faults);
  if (env.OTEL_SDK_DISABLED === 'true') return { traces: false, metrics: false };
  const isOn = (signal: 'TRACES' | 'METRICS') => {
    const exporter = env[`OTEL_${signal}_EXPORTER`];
    if (exporter) return exporter !== 'none';
    return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]);
  };
  return { traces: isOn('TRACES'), metrics: isOn('METRICS') };
}

/** Returns how traces are sent: `http/protobuf`, as the specification says, where nothing else is asked for. */
export const traceProtocol = (env: NodeJS.ProcessEnv): string =>
  env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
