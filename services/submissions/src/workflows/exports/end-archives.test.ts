import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeArchives } from './end-archives.ts';

test('an upload held for an archive that the store does not remove blocks no other', async () => {
  const dropped: string[] = [];
  const kept = new Error('the store keeps it');
  const context = {
    archives: { due: async () => [], holdsSources: async () => false },
    backupHold: { isHeld: async () => false },
    objects: {
      async remove([key]: string[]) {
        if (key === 'source of a') throw kept;
      },
    },
    submissions: {
      takeHeldSources: async () =>
        ['a', 'b', 'c'].map(id => ({ id, projectId: 'p', source: { key: `source of ${id}` } })),
      dropSource: async (_projectId: string, id: string) => void dropped.push(id),
    },
  };
  await assert.rejects(removeArchives(context as never), kept);
  assert.deepEqual(dropped, ['b', 'c']);
});
