import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryLimit } from './memory-limit.ts';

const GiB = 1024 ** 3;

test('the limit is the container’s, or the machine’s memory without a lower limit', () => {
  assert.equal(memoryLimit(GiB, 16 * GiB), GiB);
  assert.equal(memoryLimit(0, 16 * GiB), 16 * GiB, 'no limit, as cgroup v2 reports it');
  assert.equal(memoryLimit(2 ** 64, 16 * GiB), 16 * GiB, 'no limit, as cgroup v1 reports it');
  assert.ok(memoryLimit() > 0);
});
