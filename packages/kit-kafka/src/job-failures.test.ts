import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import type { Message } from 'kafkajs';
import { sendDeadLetter } from './dead-letter.ts';
import { type Attempts, afterFailure, PoisonError } from './job-failures.ts';
import type { TakenRecord } from './record.ts';

const options = { maxAttempts: 3, outOfTime: false };
const none = (): Attempts => ({ failed: 0, away: 0 });

test('a failure is retried a limited number of times', () => {
  const attempts = none();
  const steps = [1, 2, 3].map(() => afterFailure(new Error('no'), attempts, options));
  assert.deepEqual(
    steps.map(step => 'reason' in step),
    [false, false, true],
  );
  assert.deepEqual(steps[2], { reason: 'after 3 attempts: no' });
});

test('an outage is retried without a limit', () => {
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

test('a message that always reaches the time limit is retried for half a day, then becomes a dead letter', () => {
  const attempts = none();
  let waitedMs = 0;
  for (let i = 0; i < 1_000; i += 1) {
    const step = afterFailure(new Error('stopped at its limit'), attempts, { ...options, outOfTime: true });
    if ('reason' in step) {
      assert.match(step.reason, /^after 1000 attempts that exceeded the time limit: stopped at its limit$/);
      assert.ok(waitedMs + i * 20_000 > 8 * 3_600_000, 'the retries outlast an outage of some hours');
      return;
    }
    waitedMs += step.afterMs;
  }
  assert.fail('the retries never end');
});

test('a PoisonError is not retried', () => {
  const attempts = none();
  assert.deepEqual(afterFailure(new PoisonError('nonsense'), attempts, options), { reason: 'nonsense' });
  assert.deepEqual(attempts, none());
});

test('a dead letter that the broker refuses as too large is sent without its value', async () => {
  for (const type of ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']) {
    const sent: Message[] = [];
    const send = async (message: Message) => {
      if (message.value) throw new Error('not sent', { cause: Object.assign(new Error('refused'), { type }) });
      sent.push(message);
    };
    const record = { key: Buffer.from('k'), value: Buffer.alloc(1_000), partition: 0, offset: '7' } as TakenRecord;
    await sendDeadLetter(send, record, { topic: 'topic', group: 'group', reason: 'too long' });
    assert.equal(sent[0]?.headers?.['parked-without'], 'its value', type);
  }
});
