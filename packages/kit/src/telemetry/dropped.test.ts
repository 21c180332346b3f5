import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExportResultCode } from '@opentelemetry/core';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import { droppedOf, dropMeter } from './dropped.ts';

const span = { spanContext: () => ({ traceFlags: 1 }), resource: {} } as unknown as ReadableSpan;

/** Ends `count` spans at once. Resolves to how many the exporter took. */
async function endSpans(count: number, code: ExportResultCode): Promise<number> {
  let taken = 0;
  const exporter: SpanExporter = {
    export(spans, done) {
      if (code === ExportResultCode.SUCCESS) taken += spans.length;
      done({ code, ...(code === ExportResultCode.FAILED && { error: new Error('refused') }) });
    },
    shutdown: async () => {},
    forceFlush: async () => {},
  };
  const options = { exporter, maxQueueSize: 4, maxExportBatchSize: 4, selfObsMeterProvider: dropMeter('traces') };
  const processor = new BatchSpanProcessor(options);
  for (let index = 0; index < count; index++) processor.onEnd(span);
  await processor.shutdown().catch(() => {});
  return taken;
}

test('what a full queue drops, and what could not be sent, is counted, and nothing else', async () => {
  assert.equal(await endSpans(3, ExportResultCode.SUCCESS), 3);
  assert.equal(droppedOf('traces'), 0);
  const taken = await endSpans(100, ExportResultCode.SUCCESS);
  assert.ok(taken < 100, 'there is no place for all');
  assert.equal(droppedOf('traces'), 100 - taken);
  await endSpans(4, ExportResultCode.FAILED);
  assert.equal(droppedOf('traces'), 104 - taken, 'four were refused');
  assert.equal(droppedOf('logs'), 0);
});
