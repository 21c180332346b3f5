import type { MeterProvider } from '@opentelemetry/api';
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchLogRecordProcessor, type LogRecordProcessor } from '@opentelemetry/sdk-logs';
import type { IMetricReader, PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace';
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

/** Returns the processor that sends spans in batches, from a bounded queue. */
export function spanProcessor(env: NodeJS.ProcessEnv): SpanProcessor {
  const Exporter = chosen('traces', env, { grpc: GrpcTraces, json: JsonTraces, protobuf: ProtobufTraces });
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
  const Exporter = chosen('logs', env, { grpc: GrpcLogs, json: JsonLogs, protobuf: ProtobufLogs });
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
    const kinds = { grpc: GrpcMetrics, json: JsonMetrics, protobuf: ProtobufMetrics };
    const Exporter = chosen<PushMetricExporter, { selfObsMeterProvider: MeterProvider }>('metrics', env, kinds);
    const exporter = new Exporter({ selfObsMeterProvider: dropMeter('metrics') });
    return new PushReader({ exporter, ...intervalSettings(env) });
  });
}
