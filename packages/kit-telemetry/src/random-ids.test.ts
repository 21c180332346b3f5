import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isValidSpanId, isValidTraceId } from '@opentelemetry/api';
import { randomIds } from './random-ids.ts';

test('ids are valid, and none comes twice', () => {
  const count = 5_000;
  const traces = Array.from({ length: count }, () => randomIds.generateTraceId());
  const spans = Array.from({ length: count }, () => randomIds.generateSpanId());
  assert.ok(traces.every(isValidTraceId));
  assert.ok(spans.every(isValidSpanId));
  const halves = traces.flatMap(id => [id.slice(0, 16), id.slice(16)]);
  assert.equal(new Set([...halves, ...spans]).size, 3 * count);
});
