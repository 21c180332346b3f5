import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { subjectAttributes } from '@recording-request/kit/telemetry/subject';
import type { TraceContext } from '../domain/delivery.ts';

/** Returns the current trace context, or `fallback` where there is none. */
export function currentTrace(fallback: TraceContext): TraceContext {
  const carrier: Partial<TraceContext> = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent
    ? { traceparent: carrier.traceparent, tracestate: carrier.tracestate ?? '' }
    : { traceparent: fallback.traceparent, tracestate: fallback.tracestate };
}

/**
 * Runs one attempt in a span. The first is a part of the trace that caused the event; a later one, hours away, is a
 * trace of its own that links to it.
 */
export async function inAttemptSpan<T extends { error?: string } | undefined>(
  delivery: TraceContext & {
    id: string;
    projectId: string;
    submissionId: string;
    eventType: string;
    attemptCount: number;
  },
  run: () => Promise<T>,
): Promise<T> {
  const cause = propagation.extract(ROOT_CONTEXT, {
    traceparent: delivery.traceparent,
    tracestate: delivery.tracestate,
  });
  const first = delivery.attemptCount === 0;
  const linked = first ? undefined : trace.getSpanContext(cause);
  // Fetched for each attempt: one fetched while the module loads may precede the setup of telemetry.
  const span = trace.getTracer('webhooks').startSpan(
    `webhook ${delivery.eventType}`,
    {
      kind: SpanKind.INTERNAL,
      attributes: {
        'event.id': delivery.id,
        'event.type': delivery.eventType,
        attempt: delivery.attemptCount + 1,
        ...subjectAttributes(delivery),
      },
      ...(linked ? { links: [{ context: linked }] } : {}),
    },
    first ? cause : ROOT_CONTEXT,
  );
  try {
    const result = await context.with(trace.setSpan(first ? cause : ROOT_CONTEXT, span), run);
    if (result?.error) span.setStatus({ code: SpanStatusCode.ERROR, message: result.error });
    return result;
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
