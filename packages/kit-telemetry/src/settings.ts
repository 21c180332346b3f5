import { ConfigError } from '@recording-request/kit/config';
import { ADDRESS, CHECKS, HOST_AND_PORT, isDisabled, OWN_CHECKS } from './checks.ts';

/** The signals that the process sends. */
export interface Signals {
  traces: boolean;
  metrics: boolean;
  logs: boolean;
}

export type Signal = keyof Signals;

const NONE: Signals = { traces: false, metrics: false, logs: false };
const SIGNALS = Object.keys(NONE) as Signal[];

/**
 * Reads the signals that the standard variables ask for. A signal is on if its exporter or its endpoint is set. Traces
 * and metrics are also on if the endpoint for all signals is set. This endpoint does not turn log records on, because
 * they repeat stdout. Fails with a ConfigError that names each malformed variable, never its value.
 */
export function readSignals(env: NodeJS.ProcessEnv): Signals {
  const faults = Object.entries({ ...CHECKS, ...OWN_CHECKS }).flatMap(([name, check]) => {
    const fault = env[name] ? check(env[name], env) : undefined;
    return fault === undefined ? [] : [`${name} ${fault}`];
  });
  faults.push(...halves(env), ...bareFaults(env));
  if (faults.length > 0) throw new ConfigError(faults);
  if (isDisabled(env)) return NONE;
  return { traces: isOn('traces', env), metrics: isOn('metrics', env), logs: isOn('logs', env) };
}

const ofSignal = (signal: Signal, name: string): string => `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`;

function isOn(signal: Signal, env: NodeJS.ProcessEnv): boolean {
  const exporter = env[`OTEL_${signal.toUpperCase()}_EXPORTER`];
  if (exporter) return exporter !== 'none';
  return Boolean(env[ofSignal(signal, 'ENDPOINT')] || (signal !== 'logs' && env.OTEL_EXPORTER_OTLP_ENDPOINT));
}

/** An endpoint for all signals that has no scheme is valid only for gRPC. */
function bareFaults(env: NodeJS.ProcessEnv): string[] {
  if (!HOST_AND_PORT.test(env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '')) return [];
  const isSentThere = (signal: Signal) =>
    isOn(signal, env) &&
    (signal !== 'metrics' || metricExporters(env).includes('otlp')) &&
    !env[ofSignal(signal, 'ENDPOINT')];
  const variables = SIGNALS.filter(signal => isSentThere(signal) && protocolOf(signal, env) !== 'grpc').map(signal =>
    env[ofSignal(signal, 'PROTOCOL')] ? ofSignal(signal, 'PROTOCOL') : 'OTEL_EXPORTER_OTLP_PROTOCOL',
  );
  return [...new Set(variables)].map(name => `OTEL_EXPORTER_OTLP_ENDPOINT ${ADDRESS}, as ${name} is not grpc`);
}

/** Refuses a certificate without its key and a key without its certificate: the SDK would ignore both. */
function halves(env: NodeJS.ProcessEnv): string[] {
  return ['', 'TRACES_', 'METRICS_', 'LOGS_'].flatMap(signal => {
    const settingOf = (name: string) =>
      env[`OTEL_EXPORTER_OTLP_${signal}${name}`] || (signal && env[`OTEL_EXPORTER_OTLP_${name}`]);
    const [certificate, key] = [settingOf('CLIENT_CERTIFICATE'), settingOf('CLIENT_KEY')];
    if (Boolean(certificate) === Boolean(key)) return [];
    const [set, missing] = certificate ? ['CLIENT_CERTIFICATE', 'CLIENT_KEY'] : ['CLIENT_KEY', 'CLIENT_CERTIFICATE'];
    const isOwn = signal === '' || env[`OTEL_EXPORTER_OTLP_${signal}${set}`];
    return isOwn ? [`OTEL_EXPORTER_OTLP_${signal}${set} needs OTEL_EXPORTER_OTLP_${signal}${missing}`] : [];
  });
}

/** Returns the protocol of a signal. The default is `http/protobuf`, as in the specification. */
export function protocolOf(signal: Signal, env: NodeJS.ProcessEnv): string {
  return env[ofSignal(signal, 'PROTOCOL')] || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
}

/** Options of the SDK's batch processors. An absent option gets the SDK's default. */
export interface BatchSettings {
  maxQueueSize?: number;
  scheduledDelayMillis?: number;
  exportTimeoutMillis?: number;
  maxExportBatchSize?: number;
}

export function batchSettings(prefix: 'OTEL_BSP' | 'OTEL_BLRP', env: NodeJS.ProcessEnv): BatchSettings {
  const of = (key: keyof BatchSettings, name: string): BatchSettings =>
    env[`${prefix}_${name}`] ? { [key]: Number(env[`${prefix}_${name}`]) } : {};
  const queue = Number(env[`${prefix}_MAX_QUEUE_SIZE`] || 0);
  return {
    // The SDK warns about a queue that is smaller than its default batch.
    ...(queue > 0 && queue < DEFAULT_BATCH && { maxExportBatchSize: queue }),
    ...of('maxQueueSize', 'MAX_QUEUE_SIZE'),
    ...of('scheduledDelayMillis', 'SCHEDULE_DELAY'),
    ...of('exportTimeoutMillis', 'EXPORT_TIMEOUT'),
    ...of('maxExportBatchSize', 'MAX_EXPORT_BATCH_SIZE'),
  };
}

const DEFAULT_BATCH = 512;
const DEFAULT_INTERVAL_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 30_000;

/** Returns the interval at which metrics are sent, and the timeout of a send. The timeout is at most the interval. */
export function intervalSettings(env: NodeJS.ProcessEnv): {
  exportIntervalMillis: number;
  exportTimeoutMillis: number;
} {
  const exportIntervalMillis = Number(env.OTEL_METRIC_EXPORT_INTERVAL || DEFAULT_INTERVAL_MS);
  const timeoutMs = Number(env.OTEL_METRIC_EXPORT_TIMEOUT || DEFAULT_TIMEOUT_MS);
  return { exportIntervalMillis, exportTimeoutMillis: Math.min(timeoutMs, exportIntervalMillis) };
}

/** Returns the exporters of metrics; by default, metrics go to a collector. */
export const metricExporters = (env: NodeJS.ProcessEnv): string[] =>
  (env.OTEL_METRICS_EXPORTER || 'otlp').split(',').map(name => name.trim());

/**
 * Returns `k8s.pod.name` from K8S_POD_NAME, and so on. These variables are separate, so that the operator can set
 * OTEL_RESOURCE_ATTRIBUTES freely.
 */
export function clusterAttributes(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = ['namespace.name', 'node.name', 'deployment.name', 'pod.name', 'pod.uid', 'container.name'];
  return Object.fromEntries(
    names.flatMap(name => {
      const value = env[`K8S_${name.replace('.', '_').toUpperCase()}`];
      return value ? [[`k8s.${name}`, value]] : [];
    }),
  );
}
