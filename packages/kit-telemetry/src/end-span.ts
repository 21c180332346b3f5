import { type Attributes, type Span, SpanStatusCode, trace } from '@opentelemetry/api';

/** The tracer of every span that no library makes. */
export const tracer = trace.getTracer('recording-request');

export interface SpanEnd {
  /** Set if the operation failed and the caller could not have prevented the failure. */
  error?: { message?: string | undefined };
  attributes?: Attributes;
}

/** Ends a span. Call it once. */
export function endSpan(span: Span, { error, attributes }: SpanEnd = {}): void {
  if (attributes) span.setAttributes(attributes);
  if (error) span.setStatus({ code: SpanStatusCode.ERROR, ...(error.message && { message: error.message }) });
  span.end();
}
