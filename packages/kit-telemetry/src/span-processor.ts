import { type Attributes, trace } from '@opentelemetry/api';
import type { ReadableSpan, Span as SdkSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import { SUBJECT_ATTRIBUTES } from './subject.ts';

// Of the commands and operations of one name within one step.
const LEAVES_MAX = 20;
const LEFT_OUT = 'recording.spans.left_out';
// Of the spans themselves: a weak map of all that run would cost each collection of garbage.
const LEAVES = Symbol('recording-request.leaves');
const IS_LEFT_OUT = Symbol('recording-request.is-left-out');

interface Counted {
  [LEAVES]?: Map<string, number>;
  [IS_LEFT_OUT]?: boolean;
}

/**
 * Has each span take over the ids of the one that it is a part of, and leaves out database commands and store operations that repeat without end: an upload of thousands of parts is a trace of a bounded size.
 */
export function shapingSpans(inner: SpanProcessor): SpanProcessor {
  return {
    onStart(span, parentContext) {
      const parent = trace.getSpan(parentContext);
      if (parent) {
        inherit(span, parent as Partial<ReadableSpan>);
        if (isLeaf(span) && count(parent as Counted, span.name) > LEAVES_MAX) {
          (span as Counted)[IS_LEFT_OUT] = true;
          const before = (parent as Partial<ReadableSpan>).attributes?.[LEFT_OUT];
          parent.setAttribute(LEFT_OUT, Number(before ?? 0) + 1);
        }
      }
      inner.onStart(span, parentContext);
    },
    onEnd(span: ReadableSpan) {
      if (!(span as Counted)[IS_LEFT_OUT]) inner.onEnd(span);
    },
    shutdown: () => inner.shutdown(),
    forceFlush: () => inner.forceFlush(),
  };
}

/** Nothing else is a part of it, so that it leaves no gap. */
const isLeaf = ({ attributes }: { attributes: Attributes }): boolean =>
  attributes['db.system.name'] !== undefined || attributes['recording.peer'] === 'store';

function inherit(span: SdkSpan, { attributes = {} }: { attributes?: Attributes }): void {
  for (const name of SUBJECT_ATTRIBUTES) {
    const value = attributes[name];
    if (value !== undefined && span.attributes[name] === undefined) span.setAttribute(name, value);
  }
}

function count(parent: Counted, name: string): number {
  parent[LEAVES] ??= new Map<string, number>();
  const names = parent[LEAVES];
  const now = (names.get(name) ?? 0) + 1;
  names.set(name, now);
  return now;
}
