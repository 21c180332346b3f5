import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterFailure, type Failure, retryAfterMs } from './retry.ts';

const now = { attempts: 1, maxAttempts: 6, leftMs: 200_000 };
const status = (code: number, retryAfter?: number): Failure => ({
  kind: 'status',
  status: code,
  retryAfterMs: retryAfter,
});

test('a temporary failure is retried with growing waits', () => {
  const passing: Failure[] = [
    status(429),
    status(500),
    status(503),
    status(408),
    { kind: 'timeout' },
    { kind: 'unreachable' },
  ];
  for (const failure of passing) assert.deepEqual(afterFailure(failure, now), { waitMs: 1_000 });
  assert.deepEqual(afterFailure(status(500), { ...now, attempts: 4 }), { waitMs: 8_000 });
  assert.deepEqual(afterFailure(status(500), { ...now, attempts: 20, maxAttempts: 99 }), { waitMs: 30_000 });
});

test('a retry waits for Retry-After and stays within the job', () => {
  assert.deepEqual(afterFailure(status(429, 20_000), now), { waitMs: 20_000 });
  assert.deepEqual(afterFailure(status(429, 10), now), { waitMs: 1_000 });
});

test('a failure that outlasts the job is an outage and fails no clip', () => {
  const busy = afterFailure(status(429, 201_000), now);
  assert.ok('outage' in busy && busy.afterMs === 201_000 && !busy.isMisconfigured);
  assert.ok('outage' in afterFailure({ kind: 'timeout' }, { ...now, leftMs: 900 }));
  for (const failure of [status(503), { kind: 'unreachable' }, { kind: 'timeout' }] as Failure[])
    assert.ok('outage' in afterFailure(failure, { ...now, attempts: 6 }));
});

test('settings that the provider rejects are an outage at once, for the operator', () => {
  for (const code of [401, 403, 404]) {
    const step = afterFailure(status(code), now);
    assert.ok('outage' in step && step.isMisconfigured && /SPEECH_/.test(step.outage), String(code));
  }
});

test('refused audio fails at once, with a sentence', () => {
  for (const code of [400, 413, 415, 422]) {
    const step = afterFailure(status(code), now);
    assert.ok('reason' in step && /\.$/.test(step.reason) && step.clipAtFault, String(code));
  }
});

test('the clip is not at fault when the refusal does not depend on the audio, or when the answer is unusable', () => {
  for (const failure of [status(402), status(405), { kind: 'unusable' }] as Failure[]) {
    const step = afterFailure(failure, { ...now, attempts: 6 });
    assert.ok('reason' in step && !step.clipAtFault, JSON.stringify(failure));
  }
});

test('Retry-After is seconds or a date', () => {
  const at = Date.parse('2026-01-01T00:00:00Z');
  assert.equal(retryAfterMs('3', at), 3_000);
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:05 GMT', at), 5_000);
  assert.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', at), 0);
  for (const none of ['soon', '', null, undefined]) assert.equal(retryAfterMs(none, at), undefined);
});
