import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardKeyFaults } from '@recording-request/kit-mongo/shard-keys';
import { collections } from './models.ts';
import { sharding } from './shard-keys.ts';

test('each collection has a shard key, and its unique indexes begin with it', () => {
  assert.deepEqual(shardKeyFaults(collections, sharding.keys), []);
});
