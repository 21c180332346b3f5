import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { inSpan, partOrLink, runningTrace, unsampled, untraced } from './span.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const cause = { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`, tracestate: '' };
const exporter = new InMemorySpanExporter();

before(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
});
after(() => {
  context.disable();
  propagation.disable();
  trace.disable();
});

const last = () => exporter.getFinishedSpans().at(-1)!;

test('the first tries belong to the trace of their cause, later ones link to it', async () => {
  for (const [earlier, isPart] of [
    [0, true],
    [3, true],
    [4, false],
    [1_000, false],
  ] as const) {
    await inSpan('resume landing', { cause, as: partOrLink(earlier) }, async () => {});
    assert.equal(last().spanContext().traceId === TRACE_ID, isPart, String(earlier));
    assert.deepEqual(
      last().links.map(link => link.context.traceId),
      isPart ? [] : [TRACE_ID],
    );
  }
});

test('a span in another trace links to the running span', async () => {
  await inSpan('redeliver', {}, () => inSpan('replay dead letter', { cause }, async () => {}));
  const [replay, running] = exporter.getFinishedSpans().slice(-2);
  assert.equal(replay!.spanContext().traceId, TRACE_ID);
  assert.equal(replay!.links[0]!.context.spanId, running!.spanContext().spanId);
});

test('requested repetitions belong to the trace of the request or link to it, and link to the trace of the clip', async () => {
  const clip = { traceparent: `00-${'2'.repeat(32)}-b7ad6b7169203331-01`, tracestate: '' };
  const linked = () => last().links.map(link => link.context.traceId);
  await inSpan('media job', { cause, also: clip }, async () => {});
  assert.deepEqual([last().spanContext().traceId, linked()], [TRACE_ID, ['2'.repeat(32)]]);
  await inSpan('media job', { cause, as: 'link', also: clip }, async () => {});
  assert.deepEqual(linked(), [TRACE_ID, '2'.repeat(32)]);
  await inSpan('media job', { cause, also: cause }, async () => {});
  assert.deepEqual(linked(), [], 'its own trace');
});

test('a cause that was not traced changes nothing', async () => {
  await inSpan('erase', { cause: { traceparent: '', tracestate: '' }, as: 'link' }, async () => {});
  assert.deepEqual([last().links, last().parentSpanContext], [[], undefined]);
});

test('the span of a failed step has the error, and the step rejects', async () => {
  const failure = Object.assign(new Error('gone'), { code: 'NoSuchKey' });
  await assert.rejects(
    inSpan('land', {}, () => Promise.reject(failure)),
    failure,
  );
  assert.deepEqual([last().attributes['error.type'], last().status.message], ['NoSuchKey', 'gone']);
  const outage = new Error('The upload could not be fetched', { cause: new Error('EFBIG: file too large, write') });
  await assert.rejects(
    inSpan('land', {}, () => Promise.reject(outage)),
    outage,
  );
  assert.equal(last().status.message, 'The upload could not be fetched: EFBIG: file too large, write');
});

test('untraced work has no span and propagates no trace', async () => {
  const count = exporter.getFinishedSpans().length;
  await inSpan('land', {}, () =>
    untraced(() => inSpan('erase', {}, async () => assert.equal(runningTrace().traceparent, ''))),
  );
  assert.equal(exporter.getFinishedSpans().length, count + 1);
});

test('unsampled work propagates the flag “not sampled”, even outside a trace', async () => {
  const passedOn = () => unsampled(() => runningTrace().traceparent);
  assert.match(passedOn(), /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-00$/);
  await inSpan('land', {}, async () => assert.match(passedOn(), /-00$/));
});
