import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPartitionProgress } from './partition-progress.ts';

test('the offset to commit is below every unfinished record', () => {
  const progress = createPartitionProgress();
  assert.equal(progress.low(), undefined);
  for (const offset of [5n, 6n, 9n]) assert.ok(progress.take(offset, 100));
  assert.equal(progress.low(), 5n);
  progress.done(6n);
  assert.equal(progress.low(), 5n, 'the first is not done');
  progress.done(5n);
  assert.equal(progress.low(), 9n, 'offsets may be missing');
  progress.done(9n);
  assert.equal(progress.low(), 10n);
  assert.deepEqual(progress.pending(), { records: 0, bytes: 0 });
});

test('a record that is read twice is taken once', () => {
  const progress = createPartitionProgress();
  for (const offset of [5n, 6n, 7n]) progress.take(offset, 1);
  progress.done(6n);
  assert.deepEqual(
    [5n, 6n, 7n, 8n].map(offset => progress.take(offset, 1)),
    [false, false, false, true],
  );
  assert.deepEqual(progress.pending(), { records: 3, bytes: 3 });
});

test('after a rebalance there is no offset to commit until a record is read, so another member’s commit stays', () => {
  const progress = createPartitionProgress();
  for (const offset of [5n, 6n, 7n]) progress.take(offset, 1);
  progress.done(5n);
  progress.readAgain();
  assert.equal(progress.low(), undefined, 'the group may have committed more');
  progress.take(9n, 1);
  assert.equal(progress.low(), 9n, 'another member has handled the earlier records');
  for (const offset of [6n, 7n, 9n]) progress.done(offset);
  assert.equal(progress.low(), 10n);
});

test('a record that was done but not committed is committed once it is read again', () => {
  const progress = createPartitionProgress();
  for (const offset of [5n, 6n]) progress.take(offset, 1);
  progress.done(5n);
  progress.readAgain();
  assert.equal(progress.take(5n, 1), false);
  assert.equal(progress.low(), 6n);
  progress.done(6n);
  assert.equal(progress.low(), 7n);
});

test('a topic that was created again is read from its beginning', () => {
  const progress = createPartitionProgress();
  progress.take(500n, 1);
  assert.equal(progress.startsOver(501n), false);
  assert.equal(progress.startsOver(3n), true);
  assert.ok(progress.take(0n, 1));
  assert.equal(progress.low(), 0n);
});
