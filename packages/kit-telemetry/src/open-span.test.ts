import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing, W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, type Sampler, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { uuidv7 } from '@recording-request/kit/ids';
import { keepLateSpans, openSpan, spanIds } from './open-span.ts';
import { defaultSampler } from './sampler.ts';
import { noteSubject } from './subject.ts';

const exporter = new InMemorySpanExporter();
let ratio = '0';
// The share of each test: read when it decides.
const sampler: Sampler = {
  shouldSample: (...about) => defaultSampler({ TRACE_READS_RATIO: ratio }).shouldSample(...about),
  toString: () => 'of the test',
};
trace.setGlobalTracerProvider(
  new TracerProvider({ sampler, idGenerator: spanIds, spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
keepLateSpans(sampler);

let now = 0;
mock.method(performance, 'now', () => now);
beforeEach(() => {
  exporter.reset();
  ratio = '0';
  now += 10_000;
});
const sent = () => exporter.getFinishedSpans();
const names = () => sent().map(({ name }) => name);

/** A request, in which another service is called. Returns the context in which it is. */
function serve(method: string, { ms = 1, callMs = 1, failed = false, parent = ROOT_CONTEXT } = {}): Context {
  const attributes = { 'http.request.method': method };
  const span = openSpan({
    name: method,
    kind: SpanKind.SERVER,
    parent,
    decisive: attributes,
    attributes: () => ({ ...attributes, 'url.path': '/x' }),
  });
  const call = openSpan({ name: 'call', kind: SpanKind.CLIENT, parent: span.context, attributes: () => ({}) });
  now += callMs;
  call.end();
  now += ms - callMs;
  span.set({ 'http.route': '/{x}' });
  span.end({
    name: `${method} /{x}`,
    ...(failed && { error: { message: 'no' } }),
    attributes: { 'error.type': '503' },
  });
  return span.context;
}

test('a request that changes something is sent whole', () => {
  for (const method of ['POST', 'PATCH', 'DELETE']) serve(method);
  assert.deepEqual(names(), ['call', 'POST /{x}', 'call', 'PATCH /{x}', 'call', 'DELETE /{x}']);
});

test('what changes something is sent whole in the trace of an ingress that has not sampled it; what reads is not', () => {
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`;
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent, tracestate: 'a=1' });
  serve('GET', { parent });
  assert.deepEqual(names(), []);
  const told = trace.getSpanContext(serve('PATCH', { parent }))!;
  assert.deepEqual([told.traceId, told.traceFlags], ['1'.repeat(32), TraceFlags.SAMPLED], 'who is called knows it');
  assert.equal(told.traceState?.serialize(), 'a=1');
  assert.deepEqual(names(), ['call', 'PATCH /{x}']);
  const [call, request] = sent();
  assert.equal(request!.parentSpanContext?.spanId, '2'.repeat(16));
  assert.equal(call!.parentSpanContext?.spanId, told.spanId);
});

test('of a request that reads nothing is sent, unless it was slow or failed: then it is as if it had been', () => {
  assert.equal(trace.getSpanContext(serve('GET'))?.traceFlags, TraceFlags.NONE, 'who is called knows it');
  serve('HEAD');
  assert.deepEqual(names(), []);
  const told = trace.getSpanContext(serve('GET', { ms: 700, callMs: 600 }))!;
  assert.deepEqual(names(), ['call', 'GET /{x}']);
  const [call, request] = sent();
  assert.equal(request!.spanContext().spanId, told.spanId);
  assert.equal(request!.spanContext().traceId, told.traceId);
  assert.equal(request!.parentSpanContext, undefined);
  assert.equal(call!.parentSpanContext?.spanId, told.spanId);
  assert.equal(call!.spanContext().traceId, told.traceId);
  assert.deepEqual(request!.attributes, {
    'http.request.method': 'GET',
    'url.path': '/x',
    'http.route': '/{x}',
    'error.type': '503',
  });
  const [seconds, nanoseconds] = request!.duration;
  assert.equal(seconds * 1_000 + nanoseconds / 1e6, 700);
  exporter.reset();
  serve('HEAD', { failed: true });
  assert.deepEqual(names(), ['HEAD /{x}']);
});

test('a share of the requests that read is sent whole', () => {
  ratio = '0.5';
  for (let each = 0; each < 1_000; each++) serve('GET');
  const share = names().filter(name => name === 'GET /{x}').length;
  assert.ok(share > 400 && share < 600, `${share} of 1,000`);
  assert.equal(names().filter(name => name === 'call').length, share);
});

test('a service follows the decision of who called it, sends what is slow in it, and tells it on', () => {
  const call = (flags: string, ms: number) => {
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-${flags}`;
    const parent = propagation.extract(ROOT_CONTEXT, { traceparent, tracestate: 'a=1' });
    const span = openSpan({ name: `${flags} ${ms}`, kind: SpanKind.SERVER, parent, attributes: () => ({}) });
    const carrier: Record<string, string> = {};
    propagation.inject(span.context, carrier);
    now += ms;
    span.end();
    return carrier;
  };
  assert.match(call('01', 1).traceparent!, /^00-1{32}-[0-9a-f]{16}-01$/);
  const { traceparent, tracestate } = call('00', 1);
  assert.match(traceparent!, /^00-1{32}-(?!2{16})[0-9a-f]{16}-00$/);
  assert.equal(tracestate, 'a=1');
  call('00', 600);
  assert.deepEqual(names(), ['01 1', '00 600']);
  assert.equal(sent()[1]!.parentSpanContext?.spanId, '2'.repeat(16));
});

test('what is sent late has the ids that were noted in it', () => {
  const projectId = uuidv7();
  const span = openSpan({ name: 'call', kind: SpanKind.SERVER, parent: serve('GET'), attributes: () => ({}) });
  context.with(span.context, () => noteSubject({ projectId }));
  now += 600;
  span.end();
  assert.deepEqual(sent()[0]!.attributes, { 'recording.project.id': projectId });
});

test('where everything is slow, a hundred such spans a second are sent, beside what is sampled', () => {
  const slow = Array.from({ length: 300 }, () =>
    openSpan({ name: 'call', kind: SpanKind.CLIENT, parent: serve('GET'), attributes: () => ({}) }),
  );
  now += 900;
  for (const span of slow) span.end();
  assert.equal(sent().length, 100);
  now = Math.floor(now / 1_000) * 1_000 + 1_000;
  serve('POST', { failed: true });
  assert.equal(sent().length, 102);
  now += 1_000;
  serve('GET', { failed: true });
  assert.equal(sent().length, 103);
});

test('what is untraced is not sent however slow it is', () => {
  const parent = suppressTracing(serve('GET'));
  const span = openSpan({ name: 'call', kind: SpanKind.CLIENT, parent, attributes: () => ({}) });
  now += 600;
  span.end({ error: {} });
  assert.deepEqual(names(), []);
});

test('what is brief within a sent step has no span of its own, and the step says how many there were and how long they took', () => {
  const step = openSpan({ name: 'land', kind: SpanKind.INTERNAL, parent: ROOT_CONTEXT, attributes: () => ({}) });
  const command = (name: string, ms: number, error?: { message: string }) => {
    const attributes = () => ({ 'db.system.name': 'mongodb' });
    const span = openSpan({ name, kind: SpanKind.CLIENT, parent: step.context, attributes, briefMs: 20 });
    now += ms;
    span.end({ ...(error && { error }) });
  };
  command('find', 3);
  command('update', 19);
  command('insert', 20);
  command('failed', 1, { message: 'no' });
  step.end();
  assert.deepEqual(names(), ['insert', 'failed', 'land']);
  const [insert, , land] = sent();
  assert.equal(insert!.parentSpanContext?.spanId, land!.spanContext().spanId);
  assert.deepEqual(insert!.attributes, { 'db.system.name': 'mongodb' });
  assert.ok(Math.abs(insert!.duration[0] * 1_000 + insert!.duration[1] / 1e6 - 20) < 0.001);
  assert.deepEqual(land!.attributes, {
    'recording.database.brief.count': 2,
    'recording.database.brief.duration': 0.022,
  });
});
