import {
  type Attributes,
  type AttributeValue,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { RandomIdGenerator } from '@opentelemetry/sdk-trace';
import {
  type OwnSpanName,
  type Placeholder,
  SPANS,
  type SpanAttribute,
  type SpanKindName,
} from '@recording-request/telemetry-registry/spans';
import { endSpan, type SpanEnd, tracer } from './end-span.ts';
import { subjectAttributes } from './subject.ts';

/** The W3C trace context of a cause; "" if the cause was not traced. */
export interface TraceContext {
  traceparent: string;
  tracestate: string;
}

export type AttributesOfSpan<N extends OwnSpanName> = Partial<Record<SpanAttribute<N>, AttributeValue | undefined>>;

export interface SpanOptions<N extends OwnSpanName> {
  /** An object with the ids of the clip. */
  about?: object | undefined;
  /** The values that replace the braces in the name. */
  fill?: Record<Placeholder<N>, string>;
  attributes?: AttributesOfSpan<N>;
  /** The trace of the span's clip or event. Without it, the span belongs to the running trace or starts a trace. */
  cause?: TraceContext | Context | undefined;
  /** `part`: a child of its cause. `link`: a child of the running span, with a link to its cause. */
  as?: 'part' | 'link';
  /** Another trace to link to: the clip's trace, when a user requests the work on a clip again. */
  also?: TraceContext | undefined;
}

/** A started span. */
export interface RunningSpan<N extends OwnSpanName> {
  /** The context for everything within the span. */
  context: Context;
  set(attributes: AttributesOfSpan<N>): void;
  /** Ends the span. With `error`, the span ends as failed. Only the first call counts. */
  end(error?: unknown): void;
}

// The number of attempts in one trace, so that endless retries do not make the trace grow without end.
const TRIES_IN_TRACE = 4;

/**
 * Returns whether a retry belongs to the trace of its cause. The first few retries do; later ones start their own
 * trace, with a link. `earlier` is the number of attempts before.
 */
export const partOrLink = (earlier: number): 'part' | 'link' => (earlier < TRIES_IN_TRACE ? 'part' : 'link');

/** Returns the W3C trace context of the running span; "" without one. */
export function runningTrace(): TraceContext {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return { traceparent: carrier.traceparent ?? '', tracestate: carrier.tracestate ?? '' };
}

/** Returns the OpenTelemetry context of a trace context. */
export const contextOf = ({ traceparent, tracestate }: TraceContext): Context =>
  propagation.extract(ROOT_CONTEXT, { traceparent, tracestate });

/** Starts a span of the registry. The caller must end it. */
export function startSpan<N extends OwnSpanName>(name: N, options: SpanOptions<N> = {}): RunningSpan<N> {
  const { about, fill, attributes = {} } = options;
  const { parent, links } = relationOf(options);
  const span = tracer.startSpan(
    filled(name, fill),
    {
      kind: KINDS[SPANS[name].kinds[0]],
      attributes: { ...definedOf(attributes), ...subjectAttributes(about) },
      ...(links && { links }),
    },
    parent,
  );
  let isOver = false;
  return {
    context: trace.setSpan(parent, span),
    set: more => void span.setAttributes(definedOf(more)),
    end(error) {
      if (isOver) return;
      isOver = true;
      endSpan(span, error === undefined ? {} : failure(error));
    },
  };
}

/** Runs a step in a span of the registry. Rejects if the step rejects. */
export async function inSpan<N extends OwnSpanName, T>(
  name: N,
  options: SpanOptions<N>,
  run: (span: RunningSpan<N>) => Promise<T>,
): Promise<T> {
  const span = startSpan(name, options);
  try {
    const result = await context.with(span.context, run, undefined, span);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Runs `run` without spans. Work that repeats, such as the renewal of a lease, would otherwise fill its trace. */
export const untraced = <T>(run: () => T): T => context.with(suppressTracing(context.active()), run);

const newIds = new RandomIdGenerator();

/** Runs `call` with the flag “not sampled”, so that no service traces its calls. Meant for calls that repeat. */
export function unsampled<T>(call: () => T): T {
  const ids = trace.getSpanContext(context.active()) ?? {
    traceId: newIds.generateTraceId(),
    spanId: newIds.generateSpanId(),
  };
  const span = trace.wrapSpanContext({ ...ids, traceFlags: TraceFlags.NONE });
  return context.with(trace.setSpan(context.active(), span), call);
}

/** Returns the parent of a span, and links to the other traces that it belongs to. */
function relationOf({ cause, as = 'part', also }: Pick<SpanOptions<never>, 'cause' | 'as' | 'also'>): {
  parent: Context;
  links?: Link[] | undefined;
} {
  const running = context.active();
  if (!cause && !also) return { parent: running };
  const caused = cause && ('traceparent' in cause ? contextOf(cause) : cause);
  const its = caused && trace.getSpanContext(caused);
  const parent = its && as === 'part' ? caused : running;
  const own = trace.getSpanContext(parent)?.traceId;
  const links = new Map<string, Link>();
  for (const other of [its, trace.getSpanContext(running), also && trace.getSpanContext(contextOf(also))])
    if (other && other.traceId !== own) links.set(other.traceId, { context: other });
  return { parent, links: links.size > 0 ? [...links.values()] : undefined };
}

/** Includes the cause, because the message of an outage, which clients see, does not name the disk or the limit. */
function failure(error: unknown): SpanEnd {
  const { name, message, code, cause } = (error ?? {}) as Partial<Error> & { code?: unknown };
  const because = cause instanceof Error && cause.message !== message ? `: ${cause.message}` : '';
  return {
    error: { message: `${message}${because}` },
    attributes: { 'error.type': typeof code === 'string' ? code : (name ?? 'Error') },
  };
}

const filled = (name: string, fill: Record<string, string> = {}): string =>
  name.replace(/\{([^}]+)\}/g, (_, placeholder: string) => fill[placeholder] ?? placeholder);

const definedOf = (attributes: object): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

const KINDS: Record<SpanKindName, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};
