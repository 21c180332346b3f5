import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardKeyFaults } from '@recording-request/kit-mongo/shard-keys';
import { collectionsOf } from './models.ts';
import { sharding } from './shard-keys.ts';

test('each collection has a shard key, and its unique indexes begin with that key', () => {
  assert.deepEqual(shardKeyFaults(collectionsOf(1), sharding.keys), []);
});
