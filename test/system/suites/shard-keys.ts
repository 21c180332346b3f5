import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unroutable } from '@recording-request/testing/shard-watch';
import type { TestSystem } from '@recording-request/testing/test-system';
import { shardings } from '../harness/sharding.ts';

/**
 * Tests every command that the services sent in this run. A command without a shard key needs a reason. Each service's
 * `test/queries.test.ts` tests that the reason is still needed.
 */
export function shardKeys({ acrossShards }: Pick<TestSystem, 'acrossShards'>): void {
  describe('the shards that a command reaches', () => {
    for (const [database, sharding] of Object.entries(shardings))
      test(`each command of ${database} has its shard key, or reaches every shard for a reason`, async () => {
        const found = (await acrossShards())[database]!;
        const shapes = Object.keys(found);
        assert.ok(shapes.length > 0, 'no command was recorded, although the sweepers query every shard');
        assert.deepEqual(
          Object.entries(found).filter(([shape]) => !(shape in sharding.acrossShards)),
          [],
        );
        assert.deepEqual(unroutable(shapes), []);
      });
  });
}
