import type { LogRecordProcessor } from '@opentelemetry/sdk-logs';
import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { redact } from '@recording-request/kit/redact';
import { LINES } from './log-records.ts';

// Deeper than anything that is logged; what lies below is left out, as it might be a circle.
const DEPTH = 8;

/** Returns `value` with every secret in a text of it redacted. The one way by which anything is redacted that leaves the process. */
export function redacted(value: unknown, depth = DEPTH): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (depth === 0) return '[too deep]';
  if (Array.isArray(value)) return value.map(item => redacted(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redacted(item, depth - 1)]));
}

/** In place: most of what is sent is texts that stay as they are. */
function redactIn(values: object | undefined): void {
  for (const name in values) {
    const fields = values as Record<string, unknown>;
    const [before, after] = [fields[name], redacted(fields[name], DEPTH - 1)];
    if (after !== before) fields[name] = after;
  }
}

/** URLs carry tokens, and so do error messages: whichever instrumentation recorded one, it does not leave the process. */
export function redactingSpans(inner: SpanProcessor): SpanProcessor {
  return {
    onStart: (span, parent) => inner.onStart(span, parent),
    onEnd(span) {
      for (const { attributes } of [span, ...span.events, ...span.links]) redactIn(attributes);
      redactIn(span.status);
      inner.onEnd(span);
    },
    shutdown: () => inner.shutdown(),
    forceFlush: () => inner.forceFlush(),
  };
}

/** Lines of our own log are redacted before they are written. */
export function redactingRecords(inner: LogRecordProcessor): LogRecordProcessor {
  return {
    onEmit(record, context) {
      if (record.instrumentationScope.name !== LINES) {
        redactIn(record.attributes);
        record.body = redacted(record.body) as NonNullable<typeof record.body>;
      }
      inner.onEmit(record, context);
    },
    shutdown: () => inner.shutdown(),
    forceFlush: () => inner.forceFlush(),
  };
}
