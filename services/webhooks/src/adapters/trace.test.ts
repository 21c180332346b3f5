import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Context, context, propagation, type SpanOptions, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { currentTrace, inAttemptSpan } from './trace.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const cause = { traceparent, tracestate: '' };
const started: Array<{ options: SpanOptions; parent: string | undefined }> = [];

before(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  // Records each span's options. A span takes its trace from its parent, as in production.
  const startSpan = (_name: string, options: SpanOptions, parentContext: Context) => {
    const parent = trace.getSpanContext(parentContext);
    started.push({ options, parent: parent?.traceId });
    return trace.wrapSpanContext({ traceId: parent?.traceId ?? 'f'.repeat(32), spanId: '1'.repeat(16), traceFlags: 1 });
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as never });
});
after(() => {
  context.disable();
  propagation.disable();
  trace.disable();
});

const delivery = (attemptCount: number) => ({
  ...cause,
  id: 'e',
  projectId: '',
  submissionId: '',
  eventType: 'submission.completed',
  attemptCount,
});
const seen = () => currentTrace({ traceparent: '', tracestate: '' }).traceparent;

test('the first attempt belongs to the trace that caused the event', async () => {
  let inside = '';
  await inAttemptSpan(delivery(0), async () => {
    inside = seen();
    return undefined;
  });
  assert.equal(started.at(-1)!.parent, TRACE_ID);
  assert.equal(started.at(-1)!.options.links, undefined);
  assert.ok(inside.includes(TRACE_ID), 'its request belongs to the trace too');
});

test('a later attempt starts its own trace and links to the cause', async () => {
  let inside = '';
  await inAttemptSpan(delivery(1), async () => {
    inside = seen();
    return undefined;
  });
  assert.equal(started.at(-1)!.parent, undefined);
  assert.equal(started.at(-1)!.options.links?.[0]?.context.traceId, TRACE_ID);
  assert.ok(!inside.includes(TRACE_ID));
});

test('the ledger keeps the current trace, or else the trace of the event', async () => {
  assert.deepEqual(currentTrace(cause), cause);
  const other = trace.wrapSpanContext({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 });
  const kept = context.with(trace.setSpan(context.active(), other), () => currentTrace(cause));
  assert.equal(kept.traceparent, `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`);
});
