import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeOf } from '@recording-request/observe/definitions/time';
import { runbookQuery } from './runbook-query.ts';

const MEMORY = { runbook: 'ServiceAway', query: /process_memory_usage_bytes/ };

test('returns the first matching query of a runbook', async () => {
  assert.equal(await runbookQuery(MEMORY, timeOf(60)), 'count by (job) (process_memory_usage_bytes)');
});

test('divides windows, but not below five seconds', async () => {
  const dropped = { runbook: 'ServiceAway', query: /telemetry_dropped/ };
  assert.match(await runbookQuery(dropped, timeOf(1)), /\[15m\]/);
  assert.match(await runbookQuery(dropped, timeOf(60)), /\[15s\]/);
  const requests = { runbook: 'ObjectStoreSlow', query: /error_type/ };
  assert.match(await runbookQuery(requests, timeOf(60)), /\[5s\]/);
});

test('refuses a query that the runbook does not have', async () => {
  await assert.rejects(runbookQuery({ ...MEMORY, query: /moon/ }, timeOf(60)), /ServiceAway has no query .*moon/);
});
