import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { contextOf } from '@recording-request/kit-telemetry/span';
import { createSendSpans } from './spans.ts';

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

test('a send’s span is in its event’s trace and ends with the acknowledgement; only the first three failures are kept', () => {
  const spans = createSendSpans('installation.');
  const event = { id: 'e', type: 'media.failed', subject: {}, cause: contextOf(cause), message: { value: null } };
  const begin = () => spans.begin('media.events', 2, [{ ...event, id: 'other' }, event]);
  const ended = () => exporter.getFinishedSpans().filter(span => span.attributes['messaging.message.id'] === 'e');
  for (let each = 0; each < 10; each++)
    assert.throws(() => begin().failed(new Error('Kafka did not acknowledge what was sent')), /acknowledge/);
  assert.equal(ended().length, 3);
  assert.match(String(ended()[0]!.status.message), /did not acknowledge/);
  const sending = begin();
  assert.equal(ended().length, 3, 'the span has not ended');
  sending.acknowledged(41n);
  const sent = ended().at(-1)!;
  const { name, attributes } = sent;
  assert.equal(name, 'send media.events');
  assert.deepEqual(
    ['destination.name', 'destination.partition.id', 'kafka.offset', 'batch.message_count'].map(
      each => attributes[`messaging.${each}`],
    ),
    ['installation.media.events', '2', 42, 2],
  );
  assert.equal(sending.headers[1]!.traceparent, `00-${TRACE_ID}-${sent.spanContext().spanId}-01`);
});
