import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locationOf } from './location.ts';

test('reads folders, buckets and prefixes', () => {
  assert.deepEqual(locationOf('--to', '/backups/here'), { dir: '/backups/here' });
  assert.deepEqual(locationOf('--to', 's3://backups'), { bucket: 'backups', prefix: '' });
  assert.deepEqual(locationOf('--to', 's3://backups/'), { bucket: 'backups', prefix: '' });
  assert.deepEqual(locationOf('--to', 's3://backups/a/week-1/'), { bucket: 'backups', prefix: 'a/week-1/' });
});

test('refuses other addresses, and names that a store may not accept', () => {
  for (const text of [undefined, ' ', 'https://store/backups', 'S3://backups', 's3://', 's3://Backups', 's3://b'])
    assert.throws(() => locationOf('--to', text), /^Error: --to /);
  for (const prefix of ['a//b', '..', 'a/../b', 'a%20b', 'a b'])
    assert.throws(() => locationOf('--from', `s3://backups/${prefix}`), /--from has a prefix with characters/);
});
