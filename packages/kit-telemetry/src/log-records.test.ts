import assert from 'node:assert/strict';
import { test } from 'node:test';
import { context, logs, ROOT_CONTEXT, SeverityNumber, TraceFlags, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing } from '@opentelemetry/core';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger, sendLinesTo } from '@recording-request/kit/log';
import { sendLine } from './log-records.ts';
import { redactingRecords, redactingSpans } from './redacting.ts';

const exporter = new InMemoryLogRecordExporter();
const processors = [redactingRecords(new SimpleLogRecordProcessor({ exporter }))];
logs.setGlobalLoggerProvider(new LoggerProvider({ processors }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const TOKEN = `vr_${'a1B2'.repeat(10)}`;
const log = createLogger('probe', 'info').child({ topic: 'clips' });
const sent = () => {
  const records = exporter.getFinishedLogRecords();
  exporter.reset();
  return records;
};

test('a line becomes a record only if records are on, with its trace, level, ids and error', () => {
  log.info('before');
  assert.deepEqual(sent(), []);
  sendLinesTo(sendLine);
  const spanContext = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: TraceFlags.SAMPLED };
  const submissionId = uuidv7();
  context.with(trace.setSpanContext(ROOT_CONTEXT, spanContext), () =>
    log.warn({ err: new TypeError(`no ${TOKEN}`), submissionId, counts: { a: 1 } }, `at ${TOKEN}`),
  );
  const [record, ...others] = sent();
  assert.deepEqual(others, []);
  assert.deepEqual(record!.spanContext, spanContext);
  assert.deepEqual([record!.severityNumber, record!.severityText], [SeverityNumber.WARN, 'warn']);
  assert.equal(record!.body, 'at vr_[redacted]');
  const { 'exception.stacktrace': stack, ...attributes } = record!.attributes;
  assert.match(String(stack), /^TypeError: no vr_\[redacted\]\n/);
  assert.deepEqual(attributes, {
    topic: 'clips',
    counts: { a: 1 },
    'recording.submission.id': submissionId,
    'exception.type': 'TypeError',
    'exception.message': 'no vr_[redacted]',
  });
});

test('lines below LOG_LEVEL and lines logged while records are sent become no records', () => {
  log.debug('left out');
  context.with(suppressTracing(ROOT_CONTEXT), () => log.error('the collector is down'));
  assert.deepEqual(sent(), []);
});

test('attributes at any depth, events, links, statuses and bodies of libraries’ spans and records are redacted', async () => {
  logs.getLogger('other').emit({ body: { list: [TOKEN] }, attributes: { deep: { token: TOKEN } } });
  const [record] = sent();
  assert.doesNotMatch(JSON.stringify([record!.body, record!.attributes]), /a1B2/);

  const spans = new InMemorySpanExporter();
  const tracer = new TracerProvider({
    spanProcessors: [redactingSpans(new SimpleSpanProcessor({ exporter: spans }))],
  }).getTracer('test');
  const link = { traceId: '3'.repeat(32), spanId: '4'.repeat(16), traceFlags: TraceFlags.SAMPLED };
  const span = tracer.startSpan('x', {
    attributes: { url: `/r/${TOKEN}`, all: [TOKEN] },
    links: [{ context: link, attributes: { from: TOKEN } }],
  });
  span.addEvent('event', { token: TOKEN });
  span.recordException(new Error(TOKEN));
  span.setStatus({ code: 2, message: `failed: ${TOKEN}` });
  span.end();
  const [finished] = spans.getFinishedSpans();
  const { attributes, events, links, status } = finished!;
  const text = JSON.stringify([attributes, events, links, status]);
  assert.doesNotMatch(text, /a1B2/);
  assert.equal(text.split('vr_[redacted]').length - 1, 7);
});
