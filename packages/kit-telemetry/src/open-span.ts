import {
  type Attributes,
  type Context,
  createContextKey,
  INVALID_TRACEID,
  type Link,
  SamplingDecision,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';
import type { IdGenerator, Sampler } from '@opentelemetry/sdk-trace';
import { randomIds } from './random-ids.ts';
import { notedSubject } from './subject.ts';

export interface SpanStart {
  name: string;
  kind: SpanKind;
  parent: Context;
  /** Where it begins something, as a request does: what a sampler decides by, whatever its caller has decided. */
  decisive?: Attributes;
  /** Called only where the span is sent. */
  attributes(): Attributes;
  links?: Link[] | undefined;
  /**
   * Of what has no parts: where it ends within this time and without an error, it has no span of its own, and the step that it is a
   * part of says how many there were. Ignored where OTEL_TRACES_SAMPLER is set.
   */
  briefMs?: number;
}

export interface SpanEnd {
  /** In place of the name that it began with. */
  name?: string;
  /** Where it failed, and it was not for its caller to do better. */
  error?: { message?: string | undefined };
  attributes?: Attributes;
}

/** A span that was begun. */
export interface OpenSpan {
  /** In which what belongs to it runs. */
  readonly context: Context;
  set(attributes: Attributes): void;
  /** To be called once. */
  end(end?: SpanEnd): void;
}

const SLOW_MS = 500;
// Where everything is slow, telling of it must not make it slower.
const LATE_A_SECOND = 100;
const LATE = createContextKey('recording-request.late');

let decides: Sampler | undefined;
let forced: SpanContext | undefined;
let [second, sentInIt] = [0, 0];

/** Has spans of traces that are not sampled sent where they turn out to be slow or to fail. Called once, by what starts the SDK with this sampler, the default one. */
export function keepLateSpans(sampler: Sampler): void {
  decides = sampler;
}

/** Whether a span is made of what was noted, when it has ended. */
export const isLate = (context: Context): boolean => context.getValue(LATE) === true;

/** For the SDK: a span that is made late has the ids that others were told when it began. */
export const spanIds: IdGenerator = {
  generateTraceId: () => forced?.traceId ?? randomIds.generateTraceId(),
  generateSpanId: () => forced?.spanId ?? randomIds.generateSpanId(),
};

// Fetched when first used: one fetched while the module loads may precede the setup of telemetry.
let fetched: Tracer | undefined;
function tracer(): Tracer {
  fetched ??= trace.getTracer('recording-request');
  return fetched;
}

/**
 * Begins a span; `end` must be called. In a trace that is not sampled it is only noted, for a tenth of the cost, and sent when it
 * has ended if it took half a second or failed, up to a hundred a second. Who waited for it was slow as well, so that what is sent
 * of a slow request hangs together.
 */
export function openSpan(start: SpanStart): OpenSpan {
  if (!decides) return begin(start);
  const { parent } = start;
  const caller = trace.getSpanContext(parent);
  const isPart = caller !== undefined && caller.traceId !== INVALID_TRACEID;
  if (isTracingSuppressed(parent)) return isPart ? NONE(parent) : begin(start);
  if (isPart && caller.traceFlags & TraceFlags.SAMPLED)
    return start.briefMs === undefined ? begin(start) : new BriefSpan(start, start.briefMs);
  if (isPart && !start.decisive) return new NotedSpan(start, () => partOf(caller));
  return openDecided(start, decides, isPart ? caller : undefined);
}

/** Most are not sampled: the SDK, which prepares a span before it asks its sampler, is left to the others. */
function openDecided(start: SpanStart, sampler: Sampler, caller: SpanContext | undefined): OpenSpan {
  const { name, kind, parent, decisive, links = [] } = start;
  const ids = idsWithin(caller);
  const { decision } = sampler.shouldSample(parent, ids.traceId, name, kind, decisive ?? start.attributes(), links);
  if (decision === SamplingDecision.NOT_RECORD) return new NotedSpan(start, () => trace.wrapSpanContext(ids));
  return withIds(ids, () => begin(start));
}

function begin(start: SpanStart): OpenSpan {
  const { name, kind, parent, decisive, links } = start;
  const attributes = decisive ?? start.attributes();
  const span = tracer().startSpan(name, { kind, attributes, ...(links && { links }) }, parent);
  if (!span.isRecording()) return NONE(trace.setSpan(parent, span));
  if (decisive) span.setAttributes(start.attributes());
  return {
    context: trace.setSpan(parent, span),
    set: more => void span.setAttributes(more),
    end: end => finish(span, end),
  };
}

/** The first span of `run` has these ids. */
function withIds<T>(ids: SpanContext, run: () => T): T {
  forced = ids;
  try {
    return run();
  } finally {
    forced = undefined;
  }
}

const NONE = (context: Context): OpenSpan => ({ context, set() {}, end() {} });

const partOf = (caller: SpanContext): Span => trace.wrapSpanContext(idsWithin(caller));

/** The ids of a span that is not sampled, in the trace of its caller or in one of its own. */
function idsWithin({ traceId, traceState }: Partial<SpanContext> = {}): SpanContext {
  return {
    traceId: traceId ?? randomIds.generateTraceId(),
    spanId: randomIds.generateSpanId(),
    traceFlags: TraceFlags.NONE,
    ...(traceState && { traceState }),
  };
}

/** Most have no parts and are never sent: an id and a context are made where one is asked for. */
class NotedSpan implements OpenSpan {
  private readonly startTime = Date.now();
  private readonly startedAt = performance.now();
  private readonly start: SpanStart;
  private readonly make: () => Span;
  private made: Span | undefined;
  private within: Context | undefined;
  private more: Attributes | undefined;

  constructor(start: SpanStart, make: () => Span) {
    this.start = start;
    this.make = make;
  }

  private get span(): Span {
    this.made ??= this.make();
    return this.made;
  }

  get context(): Context {
    this.within ??= trace.setSpan(this.start.parent, this.span);
    return this.within;
  }

  set(attributes: Attributes): void {
    this.more = { ...this.more, ...attributes };
  }

  end(end?: SpanEnd): void {
    const ms = performance.now() - this.startedAt;
    if (!(end?.error || ms >= SLOW_MS) || !hasRoom()) return;
    const { span, start, startTime } = this;
    const parent = start.parent.setValue(LATE, true);
    const attributes = { ...start.attributes(), ...notedSubject(span), ...this.more };
    withIds(span.spanContext(), () => sendEnded({ ...start, parent }, { attributes, startTime, ms, end }));
  }
}

// Of the step's span itself: a weak map of all that run would cost each collection of garbage.
const BRIEF = Symbol('recording-request.brief');

type Counting = Span & { [BRIEF]?: { count: number; ms: number } };

/** Two in three spans of a landing would be such, which cost as much as those that tell where its time goes. */
class BriefSpan implements OpenSpan {
  private readonly startTime = Date.now();
  private readonly startedAt = performance.now();
  private readonly start: SpanStart;
  private readonly briefMs: number;
  private more: Attributes | undefined;

  constructor(start: SpanStart, briefMs: number) {
    this.start = start;
    this.briefMs = briefMs;
  }

  get context(): Context {
    return this.start.parent;
  }

  set(attributes: Attributes): void {
    this.more = { ...this.more, ...attributes };
  }

  end(end?: SpanEnd): void {
    const ms = performance.now() - this.startedAt;
    const { start, startTime } = this;
    const step = trace.getSpan(start.parent)!;
    // A step that has ended tells nothing more.
    if (!end?.error && ms < this.briefMs && step.isRecording()) {
      countBrief(step, ms);
      return;
    }
    sendEnded(start, { attributes: { ...start.attributes(), ...this.more }, startTime, ms, end });
  }
}

/** Sends what was only noted until it ended. */
function sendEnded(
  { name, kind, parent, links }: SpanStart,
  {
    attributes,
    startTime,
    ms,
    end,
  }: { attributes: Attributes; startTime: number; ms: number; end?: SpanEnd | undefined },
): void {
  const options = { kind, startTime, attributes, ...(links && { links }) };
  finish(tracer().startSpan(name, options, parent), end, startTime + ms);
}

function countBrief(step: Counting, ms: number): void {
  step[BRIEF] ??= { count: 0, ms: 0 };
  step[BRIEF].count += 1;
  step[BRIEF].ms += ms;
}

function finish(span: Span, { name, error, attributes }: SpanEnd = {}, endTime?: number): void {
  const { [BRIEF]: brief } = span as Counting;
  if (brief)
    span.setAttributes({
      'recording.database.brief.count': brief.count,
      'recording.database.brief.duration': brief.ms / 1_000,
    });
  if (name !== undefined) span.updateName(name);
  if (attributes) span.setAttributes(attributes);
  if (error) span.setStatus({ code: SpanStatusCode.ERROR, ...(error.message && { message: error.message }) });
  span.end(endTime);
}

function hasRoom(): boolean {
  const now = Math.floor(performance.now() / 1_000);
  if (now !== second) [second, sentInIt] = [now, 0];
  sentInIt += 1;
  return sentInIt <= LATE_A_SECOND;
}
