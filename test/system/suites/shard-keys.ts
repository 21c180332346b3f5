import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unroutable } from '@recording-request/testing/shard-watch';
import type { TestSystem } from '@recording-request/testing/test-system';
import { shardings } from '../harness/sharding.ts';

/**
 * Of every command that the services have sent in this run. That each reason is still needed is held where each method of
 * the stores is called, in `test/queries.test.ts` of the services.
 */
export function shardKeys({ acrossShards }: Pick<TestSystem, 'acrossShards'>): void {
  describe('the shards that a command asks', () => {
    for (const [database, sharding] of Object.entries(shardings))
      test(`each command of ${database} carries its shard key, or is one that asks every shard for a reason`, async () => {
        const found = (await acrossShards())[database]!;
        const shapes = Object.keys(found);
        assert.ok(shapes.length > 0, 'no command was watched: the sweepers alone ask every shard');
        assert.deepEqual(
          Object.entries(found).filter(([shape]) => !(shape in sharding.acrossShards)),
          [],
        );
        assert.deepEqual(unroutable(shapes), []);
      });
  });
}
