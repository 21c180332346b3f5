import { type Attributes, trace } from '@opentelemetry/api';
import type { ReadableSpan, Span as SdkSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import { SUBJECT_ATTRIBUTES } from './subject.ts';

// The maximum number of commands or operations with the same name within one span.
const LEAVES_MAX = 20;
const LEFT_OUT = 'recording.spans.left_out';

/**
 * Copies the parent's ids to each span. Drops repeated database commands and store operations above a limit, so that
 * the trace of an upload of thousands of parts has a bounded size.
 */
export function shapingSpans(inner: SpanProcessor): SpanProcessor {
  // For each span, the number of its leaves by name.
  const leaves = new WeakMap<object, Map<string, number>>();
  const dropped = new WeakSet<object>();
  const isOneTooMany = (parent: object, name: string): boolean => {
    const counts = leaves.get(parent) ?? new Map<string, number>();
    const count = (counts.get(name) ?? 0) + 1;
    leaves.set(parent, counts.set(name, count));
    return count > LEAVES_MAX;
  };
  return {
    onStart(span, parentContext) {
      const parent = trace.getSpan(parentContext);
      if (parent) {
        const { attributes = {} } = parent as Partial<ReadableSpan>;
        inherit(span, attributes);
        if (isLeaf(span) && isOneTooMany(parent, span.name)) {
          dropped.add(span);
          parent.setAttribute(LEFT_OUT, Number(attributes[LEFT_OUT] ?? 0) + 1);
        }
      }
      inner.onStart(span, parentContext);
    },
    onEnd(span) {
      if (!dropped.has(span)) inner.onEnd(span);
    },
    shutdown: () => inner.shutdown(),
    forceFlush: () => inner.forceFlush(),
  };
}

/** A leaf has no children, so dropping it leaves no gap. */
const isLeaf = ({ attributes }: { attributes: Attributes }): boolean =>
  attributes['db.system.name'] !== undefined || attributes['recording.peer'] === 'store';

function inherit(span: SdkSpan, attributes: Attributes): void {
  for (const name of SUBJECT_ATTRIBUTES) {
    const value = attributes[name];
    if (value !== undefined && span.attributes[name] === undefined) span.setAttribute(name, value);
  }
}
