import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingFrom, shardKeyFaults } from './shard-keys.ts';

const unique = (collection: string, ...fields: string[]) => ({
  collection,
  indexes: [{ keys: Object.fromEntries(fields.map(name => [name, 1 as const])), options: { unique: true } }],
});

test('the check finds a collection without a key, a key without a collection and a unique index that does not begin with its key', () => {
  const collections = [unique('links', 'hash'), unique('responses', 'linkId', 'at'), unique('users', '_id', 'name')];
  assert.deepEqual(
    shardKeyFaults(collections, { links: { projectId: 'hashed' }, responses: { linkId: 'hashed' }, gone: undefined }),
    ['users has no entry', 'gone is no collection', 'links: the unique index on hash does not begin with its key'],
  );
});

test('a filter has a key if it has values for the key’s fields; for one document, one value each', () => {
  const key = { userId: 1, key: 1 } as const;
  assert.deepEqual(missingFrom({ userId: 'a', key: { $eq: 'b' } }, key, true), []);
  assert.deepEqual(missingFrom({ $and: [{ userId: 'a' }, { key: { $in: ['b', 'c'] } }] }, key, false), []);
  assert.deepEqual(missingFrom({ userId: 'a', key: { $in: ['b'] } }, key, true), ['key']);
  assert.deepEqual(missingFrom({ userId: { $gt: 'a' }, key: { $regex: 'b' } }, key, false), ['userId', 'key']);
  assert.deepEqual(missingFrom({ $or: [{ userId: 'a', key: 'b' }] }, key, true), ['userId', 'key']);
  assert.deepEqual(missingFrom({ $or: [{ userId: 'a', key: 'b' }, { userId: 'c' }] }, key, false), ['key']);
  assert.deepEqual(missingFrom({ _id: Buffer.from('a') }, { _id: 'hashed' }, true), []);
});
