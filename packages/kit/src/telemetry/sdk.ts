import type { IncomingMessage } from 'node:http';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { GrpcInstrumentation } from '@opentelemetry/instrumentation-grpc';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace';
import { redact } from '../redact.ts';

const QUIET = /^\/healthz$/;

/**
 * Starts OpenTelemetry; its settings are the standard OTEL_… variables. Spans are exported in batches; a collector
 * that is down costs nothing but the spans.
 */
export function startTelemetry(): void {
  const sdk = new NodeSDK({
    spanProcessors: [redacting(new BatchSpanProcessor({ exporter: new OTLPTraceExporter() }))],
    instrumentations: [
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
  process.once('beforeExit', () => void sdk.shutdown().catch(() => {}));
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
