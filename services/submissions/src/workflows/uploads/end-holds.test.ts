import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import { endHolds, removeKept } from './end-holds.ts';
import type { LandContext } from './land-upload.ts';

const KEPT_BY_THE_STORE = new Error('the store keeps it');

/** Returns a context that has these uploads in each state. Its store cannot remove the parts of the upload `stuck`. */
function processWith(idle: Record<string, string[]>, stuck: string) {
  const removed: string[] = [];
  const uploadOf = (id: string) => ({ id, projectId: 'p', linkId: 'l', responseId: id, ownerId: 'o' });
  const requested: string[] = [];
  const parts = {
    config: { uploadHoldSeconds: 1, uploadEndedSeconds: 1 },
    uploads: {
      idle: async (state: string) => (idle[state] ?? []).map(uploadOf),
      findAnywhere: async (id: string) => uploadOf(id),
      forget: async () => true,
      hasOthers: async () => false,
      delete: async ({ id }: { id: string }) => void removed.push(id),
    },
    objects: {
      async purge(prefix: string) {
        if (prefix === `uploads/${stuck}/`) throw KEPT_BY_THE_STORE;
      },
    },
    backupHold: {
      isHeld: async () => false,
      kept: async () => idle.kept ?? [],
      forget: async (id: string) => void removed.push(id),
    },
    projects: {
      async releaseResponse({ responseSessionId }: { responseSessionId: string }): Promise<void> {
        requested.push(responseSessionId);
      },
    },
  };
  return { context: parts as unknown as LandContext, parts, removed, requested };
}

test('an upload that the store does not remove is reported and does not block the others', async () => {
  const { context, removed } = processWith({ deleted: ['a', 'b', 'c'] }, 'a');
  await assert.rejects(endHolds(context), KEPT_BY_THE_STORE);
  assert.deepEqual(removed, ['b', 'c']);
  const other = processWith({ refused: ['a'], deleted: ['b'] }, 'a');
  await assert.rejects(endHolds(other.context), KEPT_BY_THE_STORE);
  assert.deepEqual(other.removed, ['b'], 'an upload of another state too');
  const held = processWith({ kept: ['a', 'b', 'c'] }, 'a');
  await assert.rejects(removeKept(held.context), KEPT_BY_THE_STORE);
  assert.deepEqual(held.removed, ['b', 'c'], 'an upload that a backup kept too');
});

test('while the projects service is down, not every upload waits for it', async () => {
  const { parts, removed, requested } = processWith({ refused: ['a', 'b'], deleted: ['c'] }, '');
  const releaseResponse: typeof parts.projects.releaseResponse = async ({ responseSessionId }) => {
    requested.push(responseSessionId);
    throw new DomainError('unavailable', 'away');
  };
  const context = { ...parts, projects: { releaseResponse } } as unknown as LandContext;
  await assert.rejects(endHolds(context), { code: 'unavailable' });
  assert.deepEqual([requested, removed], [['a'], []]);
});
