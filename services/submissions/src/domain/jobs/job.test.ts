import assert from 'node:assert/strict';
import { test } from 'node:test';
import { now } from '../../../test/landed-submission.ts';
import { nextOwner } from './job.ts';

const after = (ms: number) => new Date(now.getTime() + ms);

test('the next job is of the owner with the fewest running jobs, and of several the one that waits longest', () => {
  const waiting = [
    { ownerId: 'many', since: after(0) },
    { ownerId: 'later', since: after(20) },
    { ownerId: 'one', since: after(10) },
  ];
  const running = new Map([['many', 3]]);
  assert.equal(nextOwner(waiting, running), 'one');
  assert.equal(nextOwner(waiting, running.set('one', 1)), 'later');
  assert.equal(nextOwner(waiting, running.set('later', 4)), 'one');
  assert.equal(nextOwner([], running), undefined);
});
