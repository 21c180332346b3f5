import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from './errors.ts';
import { type Attempts, afterFailure, PoisonError, PostponedError } from './job-failures.ts';

const options = { maxAttempts: 3, outOfTime: false };
const none = (): Attempts => ({ failed: 0, away: 0 });

test('a failure is tried again a bounded number of times', () => {
  const attempts = none();
  const steps = [1, 2, 3].map(() => afterFailure(new Error('no'), attempts, options));
  assert.deepEqual(
    steps.map(step => 'reason' in step),
    [false, false, true],
  );
  assert.deepEqual(steps[2], { reason: 'after 3 attempts: no' });
});

test('what is away is tried again for as long as it takes', () => {
  const attempts = none();
  const away = [
    new DomainError('unavailable', 'no'),
    new DomainError('timeout', 'no'),
    Object.assign(new Error('no'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('no'), { name: 'KafkaJSNumberOfRetriesExceeded' }),
  ];
  for (let i = 0; i < 1_000; i += 1) {
    const step = afterFailure(away[i % away.length], attempts, options);
    assert.ok('afterMs' in step && step.afterMs <= 30_000, JSON.stringify(step));
  }
  assert.ok('afterMs' in afterFailure(new Error('stopped at its limit'), attempts, { ...options, outOfTime: true }));
  assert.equal(attempts.failed, 0);
});

test('what is postponed comes when it said, and what no attempt helps goes at once', () => {
  const attempts = none();
  assert.deepEqual(afterFailure(new PostponedError('later', 1_234), attempts, options), {
    afterMs: 1_234,
    quiet: true,
  });
  assert.deepEqual(afterFailure(new PoisonError('nonsense'), attempts, options), { reason: 'nonsense' });
  assert.deepEqual(attempts, none());
});
