import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { keepingSpans } from './kept-spans.ts';
import { defaultSampler } from './sampler.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

/** What is sent where OTEL_TRACES_SAMPLER names no sampler and this share of the requests that read is sent. */
function recorder(ratio: string) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    sampler: defaultSampler({ TRACE_READS_RATIO: ratio }),
    spanProcessors: [keepingSpans(new SimpleSpanProcessor({ exporter }))],
  });
  const tracer = provider.getTracer('test');
  /** A request with a call to another service below it. */
  const serve = (method: string, { ms = 1, failed = false } = {}) => {
    const attributes = { 'http.request.method': method };
    const root = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes, startTime: NOW }, ROOT_CONTEXT);
    const within = trace.setSpan(ROOT_CONTEXT, root);
    tracer.startSpan('call', { kind: SpanKind.CLIENT, startTime: NOW }, within).end(NOW + 1);
    if (failed) root.setStatus({ code: SpanStatusCode.ERROR });
    root.end(NOW + ms);
    return root.spanContext();
  };
  const sent = () => exporter.getFinishedSpans().map(({ name }) => name);
  return { tracer, serve, sent };
}

test('a request that changes something is sent whole', () => {
  const { serve, sent } = recorder('0');
  for (const method of ['POST', 'PATCH', 'DELETE']) serve(method);
  assert.deepEqual(sent(), ['call', 'POST', 'call', 'PATCH', 'call', 'DELETE']);
});

test('of a request that reads nothing is sent, unless it was slow or failed', () => {
  const { serve, sent } = recorder('0');
  assert.equal(serve('GET').traceFlags, TraceFlags.NONE, 'who is called next knows it');
  serve('HEAD');
  assert.deepEqual(sent(), []);
  serve('GET', { ms: 700 });
  serve('HEAD', { failed: true });
  assert.deepEqual(sent(), ['GET', 'HEAD']);
});

test('a share of the requests that read is sent whole', () => {
  const { serve, sent } = recorder('0.5');
  for (let each = 0; each < 1_000; each++) serve('GET');
  const share = sent().filter(name => name === 'GET').length;
  assert.ok(share > 400 && share < 600, `${share} of 1,000`);
  assert.equal(sent().filter(name => name === 'call').length, share);
});

test('a service follows the decision of who called it, and sends what is slow in it', () => {
  const { tracer, sent } = recorder('0');
  const call = (traceFlags: TraceFlags, ms: number) => {
    const caller = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags, isRemote: true };
    const options = { kind: SpanKind.SERVER, startTime: NOW };
    const parent = trace.setSpanContext(ROOT_CONTEXT, caller);
    tracer.startSpan(`${traceFlags} ${ms}`, options, parent).end(NOW + ms);
  };
  call(TraceFlags.SAMPLED, 1);
  call(TraceFlags.NONE, 1);
  call(TraceFlags.NONE, 600);
  assert.deepEqual(sent(), ['1 1', '0 600']);
});

test('where everything is slow, a hundred such spans a second are sent', t => {
  let now = 5_000;
  t.mock.method(performance, 'now', () => now);
  const { serve, sent } = recorder('0');
  for (let each = 0; each < 500; each++) serve('GET', { ms: 2_000 });
  assert.equal(sent().length, 100);
  serve('POST', { ms: 2_000 });
  assert.equal(sent().length, 102, 'what is sampled has no such bound');
  now += 1_000;
  serve('GET', { ms: 2_000 });
  assert.equal(sent().length, 103);
});
