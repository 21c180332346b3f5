import assert from 'node:assert/strict';
import { test } from 'node:test';
import { now } from '../../../test/landed-submission.ts';
import { isOverdue, newJob, nextOwner } from './job.ts';

const after = (ms: number) => new Date(now.getTime() + ms);
const limits = { stuckMs: 900_000, leaseMs: 30_000 };

test('a request is overdue by the time since it was published, a running job by the end of its claim', () => {
  const waiting = newJob('media', now);
  assert.equal(isOverdue(waiting, after(86_400_000), limits), false, 'waiting is not failing');
  const published = { ...waiting, state: 'published' as const, publishedAt: after(60_000) };
  assert.equal(isOverdue(published, after(960_000), limits), false);
  assert.equal(isOverdue(published, after(960_001), limits), true);
  const running = { ...published, state: 'running' as const, leaseUntil: after(86_400_000) };
  assert.equal(isOverdue(running, after(86_430_000), limits), false);
  assert.equal(isOverdue(running, after(86_430_001), limits), true);
});

test('next is the owner with the fewest jobs in flight, and among these the one that waits longest', () => {
  const waiting = [
    { ownerId: 'many', dueAt: after(0) },
    { ownerId: 'later', dueAt: after(20) },
    { ownerId: 'one', dueAt: after(10) },
    { ownerId: 'paused', dueAt: after(1_000) },
  ];
  const inFlight = new Map([['many', 3]]);
  assert.equal(nextOwner(waiting, inFlight, after(100)), 'one');
  assert.equal(nextOwner(waiting, inFlight.set('one', 1), after(100)), 'later');
  assert.equal(nextOwner(waiting, inFlight.set('later', 4), after(100)), 'one');
  assert.equal(nextOwner([waiting[3]!], inFlight, after(100)), undefined);
});
