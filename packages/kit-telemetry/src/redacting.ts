import type { LogRecordProcessor } from '@opentelemetry/sdk-logs';
import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { redact } from '@recording-request/kit/redact';
import { LINES } from './log-records.ts';

// More levels than any logged value has. Deeper values are left out, because they may be circular.
const DEPTH = 8;

/** Returns `value` with every secret in its texts redacted. Everything that leaves the process is redacted here. */
export function redacted(value: unknown, depth = DEPTH): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (depth === 0) return '[too deep]';
  if (Array.isArray(value)) return value.map(item => redacted(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redacted(item, depth - 1)]));
}

/** Redacts in place, because most texts do not change. */
function redactIn(values: object | undefined): void {
  for (const name in values) {
    const fields = values as Record<string, unknown>;
    const [before, after] = [fields[name], redacted(fields[name], DEPTH - 1)];
    if (after !== before) fields[name] = after;
  }
}

/** Redacts spans of every library: URLs and error messages may contain tokens. */
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

/** Redacts records of libraries; our own lines are redacted already. */
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
