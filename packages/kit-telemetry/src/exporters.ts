import type { MeterProvider } from '@opentelemetry/api';
import type { ExportResult } from '@opentelemetry/core';
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { emptyResource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, type LogRecordExporter, type LogRecordProcessor } from '@opentelemetry/sdk-logs';
import type { IMetricReader, PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import { dropMeter } from './dropped.ts';
import { PushReader, ScrapeReader } from './readers.ts';
import { redactingRecords, redactingSpans } from './redacting.ts';
import { batchSettings, intervalSettings, metricExporters, protocolOf, type Signal } from './settings.ts';
import { shapingSpans } from './span-processor.ts';

type Kind<E, O> = new (options: O) => E;

/**
 * Returns the exporter for the protocol of a signal. The exporter itself reads the variables of endpoints, headers,
 * compression, certificates and timeouts.
 */
function chosen<E, O>(
  signal: Signal,
  env: NodeJS.ProcessEnv,
  kinds: { grpc: Kind<E, O>; json: Kind<E, O>; protobuf: Kind<E, O> },
): Kind<E, O> {
  const protocol = protocolOf(signal, env);
  if (protocol === 'grpc') return kinds.grpc;
  return protocol === 'http/json' ? kinds.json : kinds.protobuf;
}

const TRACES = { grpc: GrpcTraces, json: JsonTraces, protobuf: ProtobufTraces };
const LOGS = { grpc: GrpcLogs, json: JsonLogs, protobuf: ProtobufLogs };
const METRICS = { grpc: GrpcMetrics, json: JsonMetrics, protobuf: ProtobufMetrics };

/**
 * Sends an empty export of one signal, with the variables of `env`. Rejects with the exporter's error, or after about
 * `limitMs`. The exporters read some variables from the process's environment.
 */
export async function exportNothing(signal: Signal, env: NodeJS.ProcessEnv, limitMs: number): Promise<void> {
  const options = { timeoutMillis: limitMs };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const done = ({ error, code }: ExportResult) => (code === 0 ? resolve() : reject(error ?? new Error('refused')));
  if (signal === 'traces') new (chosen<SpanExporter, object>(signal, env, TRACES))(options).export([], done);
  else if (signal === 'logs') new (chosen<LogRecordExporter, object>(signal, env, LOGS))(options).export([], done);
  else {
    const nothing = { resource: emptyResource(), scopeMetrics: [] };
    new (chosen<PushMetricExporter, object>(signal, env, METRICS))(options).export(nothing, done);
  }
  await promise;
}

/** Returns the processor that sends spans in batches, from a bounded queue. */
export function spanProcessor(env: NodeJS.ProcessEnv): SpanProcessor {
  const Exporter = chosen('traces', env, TRACES);
  const selfObsMeterProvider = dropMeter('traces');
  const batches = new BatchSpanProcessor({
    exporter: new Exporter({}),
    selfObsMeterProvider,
    ...batchSettings('OTEL_BSP', env),
  });
  return shapingSpans(redactingSpans(batches));
}

/** Returns the processor that sends log records in batches, from a bounded queue. */
export function recordProcessor(env: NodeJS.ProcessEnv): LogRecordProcessor {
  const Exporter = chosen('logs', env, LOGS);
  const selfObsMeterProvider = dropMeter('logs');
  return redactingRecords(
    new BatchLogRecordProcessor({
      exporter: new Exporter({}),
      selfObsMeterProvider,
      ...batchSettings('OTEL_BLRP', env),
    }),
  );
}

/** Returns the readers that send metrics or answer scrapes. views.ts limits the series that they report. */
export function metricReaders(env: NodeJS.ProcessEnv): IMetricReader[] {
  return metricExporters(env).map(name => {
    if (name === 'prometheus') {
      const { OTEL_EXPORTER_PROMETHEUS_HOST: host, OTEL_EXPORTER_PROMETHEUS_PORT: port } = env;
      return new ScrapeReader({ ...(host && { host }), ...(port && { port: Number(port) }) });
    }
    const Exporter = chosen<PushMetricExporter, { selfObsMeterProvider: MeterProvider }>('metrics', env, METRICS);
    const exporter = new Exporter({ selfObsMeterProvider: dropMeter('metrics') });
    return new PushReader({ exporter, ...intervalSettings(env) });
  });
}
