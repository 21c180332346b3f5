import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Context, propagation, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { defaultSampler } from './sampler.ts';

propagation.setGlobalPropagator(new W3CTraceContextPropagator());

function tracing(ratio: string) {
  const exporter = new InMemorySpanExporter();
  const sampler = defaultSampler({ TRACE_READS_RATIO: ratio });
  const provider = new TracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer = provider.getTracer('test');
  const start = (name: string, kind: SpanKind, parent: Context, attributes = {}) => {
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    return { span, within: trace.setSpan(parent, span) };
  };
  return {
    /** Traces a request that calls another service. Returns the trace context that this service receives. */
    request(method: string, parent = ROOT_CONTEXT) {
      const { span, within } = start(method, SpanKind.SERVER, parent, { 'http.request.method': method });
      start('call', SpanKind.CLIENT, within).span.end();
      span.end();
      return span.spanContext();
    },
    step: (name: string, parent = ROOT_CONTEXT) => start(name, SpanKind.INTERNAL, parent).span.end(),
    names: () => exporter.getFinishedSpans().map(({ name }) => name),
  };
}

const callerWith = (flags: '00' | '01') =>
  propagation.extract(ROOT_CONTEXT, { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-${flags}` });

test('a request that changes something is traced, even if its ingress did not sample the trace', () => {
  const { request, names } = tracing('0');
  for (const method of ['POST', 'PATCH', 'DELETE']) request(method);
  const received = request('PUT', callerWith('00'));
  assert.deepEqual([received.traceId, received.traceFlags], ['1'.repeat(32), TraceFlags.SAMPLED]);
  assert.deepEqual(
    names(),
    ['POST', 'PATCH', 'DELETE', 'PUT'].flatMap(method => ['call', method]),
  );
});

test('a share of the requests that only read is traced, and the called service continues the trace', () => {
  const { request, names } = tracing('0.5');
  const flagsOfReads = Array.from({ length: 1_000 }, () => request('GET').traceFlags);
  const share = flagsOfReads.filter(flags => flags === TraceFlags.SAMPLED).length;
  assert.ok(share > 400 && share < 600, `${share} of 1,000`);
  assert.equal(names().filter(name => name === 'GET').length, share);
  assert.equal(names().filter(name => name === 'call').length, share);
});

test('a read and a step follow the decision of their caller; a step without a caller is traced', () => {
  const { request, step, names } = tracing('0');
  request('GET');
  request('GET', callerWith('00'));
  step('not sampled', callerWith('00'));
  assert.deepEqual(names(), []);
  request('HEAD', callerWith('01'));
  step('sampled', callerWith('01'));
  step('of its own');
  assert.deepEqual(names(), ['call', 'HEAD', 'sampled', 'of its own']);
});
