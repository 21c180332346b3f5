import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { retryAfterMs, retryDelayMs } from './schedule.ts';

const scheduleSec = [5, 300, 86_400];

test('each failure uses the next wait of the schedule, and the last one repeats', () => {
  const random = () => 0.5;
  const delays = [0, 1, 2, 3, 99].map(step => retryDelayMs(step, { scheduleSec, random }));
  assert.deepEqual(delays, [5_000, 300_000, 86_400_000, 86_400_000, 86_400_000]);
});

test('the jitter is at most 10 percent in either direction', () => {
  assert.equal(retryDelayMs(0, { scheduleSec, random: () => 0 }), 4_500);
  assert.equal(retryDelayMs(0, { scheduleSec, random: () => 1 }), 5_500);
});

test('Retry-After lengthens a step up to double and never shortens it', () => {
  const random = () => 0.5;
  assert.equal(retryDelayMs(0, { scheduleSec, random, retryAfterMs: 8_000 }), 8_000);
  assert.equal(retryDelayMs(0, { scheduleSec, random, retryAfterMs: 3_600_000 }), 10_000);
  assert.equal(retryDelayMs(1, { scheduleSec, random, retryAfterMs: 0 }), 300_000);
});

test('Retry-After is seconds or an HTTP date; anything else is ignored', () => {
  const now = new Date('2026-11-01T10:00:00Z');
  assert.equal(retryAfterMs('120', now), 120_000);
  assert.equal(retryAfterMs('Sun, 01 Nov 2026 10:01:00 GMT', now), 60_000);
  assert.equal(retryAfterMs('Sun, 01 Nov 2026 09:00:00 GMT', now), 0);
  assert.ok(retryAfterMs('99999999999999', now)! > 1e12, 'an endless wait is returned; the step limits it');
  for (const header of [undefined, '', '-1', '1.5', 'soon']) assert.equal(retryAfterMs(header, now), undefined);
});

test('the default schedule is the documented one', () => {
  const { retryScheduleSec, pauseAfterMs, attemptTimeoutMs } = readConfig({
    INTERNAL_PLAINTEXT: 'true',
    MONGO_URL: 'mongodb://x',
    SECRETS_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    KAFKA_BROKERS: 'x:1',
    PROJECTS_GRPC: 'x:1',
    SUBMISSIONS_GRPC: 'x:2',
    PUBLIC_BASE_URL: 'https://x.example',
  });
  const hour = 3_600;
  assert.deepEqual(retryScheduleSec, [5, 300, 1_800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]);
  assert.equal(pauseAfterMs, 5 * 24 * hour * 1000);
  assert.equal(attemptTimeoutMs, 15_000);
});

test('a schedule with other text than seconds fails with its name and without its value', () => {
  for (const bad of ['5,x', '0', '-1', '5,,6', ' ']) {
    const read = () => readConfig({ WEBHOOK_RETRY_SCHEDULE_SECONDS: bad });
    assert.throws(read, /WEBHOOK_RETRY_SCHEDULE_SECONDS must be seconds/);
  }
});
