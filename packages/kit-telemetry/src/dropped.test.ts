import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeverityNumber } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { dropMeter, droppedOf } from './dropped.ts';

// A short timeout, because the timer of a hanging export keeps the process alive.
const QUEUE = { maxQueueSize: 10, maxExportBatchSize: 5, scheduledDelayMillis: 3_600_000, exportTimeoutMillis: 200 };
const failing = {
  export: (_batch: unknown, done: (result: { code: ExportResultCode; error: Error }) => void) =>
    done({ code: ExportResultCode.FAILED, error: new Error('away') }),
  shutdown: async () => {},
  forceFlush: async () => {},
};
const silent = { ...failing, export: () => {} };

test('records that a full queue drops are counted', () => {
  const spans = new BatchSpanProcessor({ exporter: silent, selfObsMeterProvider: dropMeter('traces'), ...QUEUE });
  const tracer = new TracerProvider({ spanProcessors: [spans] }).getTracer('test');
  // 40 spans: a batch of 5 is being sent, 10 wait, and 25 are dropped.
  for (let i = 0; i < 40; i += 1) tracer.startSpan('x').end();
  assert.equal(droppedOf('traces'), 25);
});

test('records that a collector refuses are counted by signal', async () => {
  const records = new BatchLogRecordProcessor({ exporter: failing, selfObsMeterProvider: dropMeter('logs'), ...QUEUE });
  const logger = new LoggerProvider({ processors: [records] }).getLogger('test');
  for (let i = 0; i < 3; i += 1) logger.emit({ body: 'x', severityNumber: SeverityNumber.INFO });
  await records.forceFlush();
  assert.equal(droppedOf('logs'), 3);
});
