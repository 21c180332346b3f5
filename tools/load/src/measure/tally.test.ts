import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTally, latencyOf } from './tally.ts';

test('returns the quantiles of 101 latencies', () => {
  const values = Array.from({ length: 101 }, (_, at) => 100 - at);
  assert.deepEqual(latencyOf(values), { count: 101, p50: 50, p95: 95, p99: 99 });
});

test('counts a 503 or 429 with Retry-After as shed, any other status from 400 on as an error', () => {
  const tally = createTally();
  tally.succeeded();
  tally.refused('PATCH', 503, '5');
  tally.refused('PATCH', 503, '');
  tally.refused('PATCH', 429, 'soon');
  tally.refused('create', 429, '1');
  tally.refused('begin', 500, '5');
  tally.refused('HEAD', 'no answer (ECONNRESET)');
  const { requests, errors, shed } = tally.read();
  assert.equal(requests, 7);
  assert.deepEqual(shed, { 'PATCH: 503': 1, 'create: 429': 1 });
  assert.deepEqual(errors, {
    'PATCH: 503 without Retry-After': 1,
    'PATCH: 429 without Retry-After': 1,
    'begin: 500': 1,
    'HEAD: no answer (ECONNRESET)': 1,
  });
});
