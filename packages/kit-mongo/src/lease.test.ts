import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Leasable, withLease } from './lease.ts';

function recorded(subject: string | undefined) {
  const calls: string[] = [];
  const lease: Leasable<string> = {
    async take() {
      calls.push('take');
      return subject;
    },
    async renew() {
      calls.push('renew');
      throw new Error('the database is down');
    },
    async release() {
      calls.push('release');
      throw new Error('the database is down');
    },
    renewMs: 100,
  };
  return { lease, calls };
}

test('a lease is renewed while the work runs and released after it; failing to do so does not fail the work', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { lease, calls } = recorded('subject');
  const result = await withLease(lease, async subject => {
    t.mock.timers.tick(250);
    return subject;
  });
  t.mock.timers.tick(1_000);
  assert.equal(result, 'subject');
  assert.deepEqual(calls, ['take', 'renew', 'renew', 'release']);
});

test('a lease is released when the work fails, with the error of the work', async () => {
  const { lease, calls } = recorded('subject');
  await assert.rejects(
    withLease(lease, () => Promise.reject(new Error('the work failed'))),
    /the work failed/,
  );
  assert.deepEqual(calls, ['take', 'release']);
});

test('the work does not run while another process has the lease', async () => {
  const { lease, calls } = recorded(undefined);
  assert.equal(await withLease(lease, async () => assert.fail('it ran')), undefined);
  assert.deepEqual(calls, ['take']);
});
