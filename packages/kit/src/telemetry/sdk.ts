import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { GrpcInstrumentation } from '@opentelemetry/instrumentation-grpc';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import { redact } from '../redact.ts';
import { startMeasuring } from './measuring.ts';
import { type Signals, traceProtocol } from './settings.ts';
import { views } from './views.ts';

const QUIET = /^\/healthz$/;

/**
 * Starts OpenTelemetry; its settings are the standard OTEL_… variables. Spans are exported in batches and metrics every minute; a
 * collector that is down costs nothing but these.
 */
export function startTelemetry({ traces, metrics }: Signals): void {
  const sdk = new NodeSDK({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': serviceName(), 'service.version': version() }),
    ),
    spanProcessors: traces ? [redacting(new BatchSpanProcessor({ exporter: spanExporter() }))] : [],
    // Otherwise those that the variables name.
    ...(!metrics && { metricReaders: [] }),
    views: views(),
    logRecordProcessors: [],
    instrumentations: [
      ...(metrics ? [new RuntimeNodeInstrumentation()] : []),
      new HttpInstrumentation({
        ignoreIncomingRequestHook: (request: IncomingMessage) => QUIET.test(request.url ?? ''),
        // Outside a request or an event (a health check, a poll) there is nothing to follow.
        requireParentforOutgoingSpans: true,
      }),
      new GrpcInstrumentation({ ignoreGrpcMethods: [/Health/, 'Check', 'Watch'] }),
      new MongoDBInstrumentation({ requireParentSpan: true }),
      new UndiciInstrumentation({
        requireParentforSpans: true,
        // Owners put secrets into the query of their webhook's address.
        requestHook(span, request) {
          span.setAttribute('url.full', request.origin + request.path.split('?')[0]);
          span.setAttribute('url.query', '');
        },
      }),
    ],
  });
  sdk.start();
  if (metrics) startMeasuring();
  process.once('beforeExit', () => void sdk.shutdown().catch(() => {}));
}

/** That of the service whose main.ts this process runs, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES has another. */
function serviceName(): string {
  const [, name] = /services\/([a-z]+)\/src\/main\.ts$/.exec(process.argv[1] ?? '') ?? [];
  return name ?? 'recording-request';
}

/** Of the whole, which is released as one. */
function version(): string {
  const file = new URL('../../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function spanExporter(): SpanExporter {
  const protocol = traceProtocol(process.env);
  if (protocol === 'grpc') return new GrpcExporter();
  return protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
}

/** The tracer of a service. */
export const tracerOf = (service: string) => trace.getTracer(service);

function redactIn(values: Record<string, unknown> = {}): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') values[name] = redact(value);
    else if (Array.isArray(value)) values[name] = value.map(item => (typeof item === 'string' ? redact(item) : item));
  }
}

// URLs carry tokens, and so do error messages: whichever instrumentation recorded one, it does not leave the process.
function redacting(inner: SpanProcessor): SpanProcessor {
  return {
    onStart: (span, parent) => inner.onStart(span, parent),
    onEnd(span: ReadableSpan) {
      for (const { attributes } of [span, ...span.events]) redactIn(attributes as Record<string, unknown> | undefined);
      const status = span.status as { message?: string };
      if (status.message) status.message = redact(status.message);
      inner.onEnd(span);
    },
    shutdown: () => inner.shutdown(),
    forceFlush: () => inner.forceFlush(),
  };
}
