import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostMemory, toolMemory } from './memory.ts';

const MIB = 1024 ** 2;

test('concurrent runs fit into the container: more slots leave each run less memory', () => {
  for (const limitMiB of [2048, 2560, 4096, 8192])
    for (const slots of [
      { jobs: 1, inspections: 2 },
      { jobs: 2, inspections: 2 },
      { jobs: 1, inspections: 4 },
    ]) {
      const memory = toolMemory(slots, limitMiB * MIB, {});
      assert.ok(mostMemory(slots, memory) <= limitMiB * MIB, `${limitMiB} MiB for ${JSON.stringify(slots)}`);
      assert.ok(memory.toolBytes >= 256 * MIB);
    }
  assert.equal(toolMemory({ jobs: 1, inspections: 4 }, 64 * 1024 * MIB, {}).toolBytes, 896 * MIB);
});

test('limits that are set stay, and their sum shows that they do not fit', () => {
  const slots = { jobs: 1, inspections: 4 };
  const set = { toolBytes: 896 * MIB, probeBytes: 896 * MIB };
  assert.deepEqual(toolMemory(slots, 2048 * MIB, set), set);
  assert.equal(mostMemory(slots, set), (256 + 32 + 9 * 896) * MIB);
});
