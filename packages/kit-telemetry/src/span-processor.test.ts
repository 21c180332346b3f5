import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { uuidv7 } from '@recording-request/kit/ids';
import { shapingSpans } from './span-processor.ts';

function recorder() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [shapingSpans(new SimpleSpanProcessor({ exporter }))] });
  const tracer = provider.getTracer('test');
  return { tracer, ended: () => exporter.getFinishedSpans() };
}

test('the spans in a step have the ids of its clip, unless they have their own', () => {
  const { tracer, ended } = recorder();
  const [projectId, other] = [uuidv7(), uuidv7()];
  const step = tracer.startSpan(
    'land',
    { attributes: { 'recording.project.id': projectId, secret: 'x' } },
    ROOT_CONTEXT,
  );
  const within = trace.setSpan(ROOT_CONTEXT, step);
  tracer.startSpan('find uploads', {}, within).end();
  tracer.startSpan('erase', { attributes: { 'recording.project.id': other } }, within).end();
  assert.deepEqual(
    ended().map(({ attributes }) => attributes),
    [{ 'recording.project.id': projectId }, { 'recording.project.id': other }],
  );
});

test('a step keeps the first 20 commands and operations of each name, and has the number of the others', () => {
  const { tracer, ended } = recorder();
  const step = tracer.startSpan('land', {}, ROOT_CONTEXT);
  const within = trace.setSpan(ROOT_CONTEXT, step);
  const leaf = { kind: SpanKind.CLIENT, attributes: { 'recording.peer': 'store' } };
  for (let each = 0; each < 100; each++) tracer.startSpan('store GetObject', leaf, within).end();
  for (let each = 0; each < 3; each++) tracer.startSpan('store PutObject', leaf, within).end();
  // Spans of other kinds have children, which would lose their parent.
  for (let each = 0; each < 30; each++) tracer.startSpan('recording.x.v1.X/Y', { kind: SpanKind.CLIENT }, within).end();
  step.end();
  const names = ended().map(({ name }) => name);
  assert.deepEqual(
    ['store GetObject', 'store PutObject', 'recording.x.v1.X/Y'].map(
      name => names.filter(each => each === name).length,
    ),
    [20, 3, 30],
  );
  assert.equal(ended().at(-1)!.attributes['recording.spans.left_out'], 80);
});
