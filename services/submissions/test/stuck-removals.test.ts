import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraseProject } from '../src/workflows/erasure/erase-project.ts';
import { endHolds } from '../src/workflows/uploads/end-holds.ts';
import { begun, harness, keyOf, keysIn, otherProcess } from './takes.ts';
import { create } from './test-service.ts';

const HOUR_MS = 3_600_000;

/** Returns an object store that cannot remove the objects of one upload. */
const storeThatKeeps = (id: string): typeof harness.objects => ({
  ...harness.objects,
  purge: (prefix, names) =>
    prefix.includes(id) ? Promise.reject(new Error('the store keeps it')) : harness.objects.purge(prefix, names),
});

/** Creates an upload with some of its bytes. */
async function some(response: Awaited<ReturnType<typeof begun>>) {
  const { id } = await create(harness, response, { length: 5_000, body: Buffer.alloc(2_000) });
  assert.notDeepEqual(await keysIn(`uploads/${id}/`), []);
  return id;
}

test('an ended upload that the store cannot remove blocks no other one', async () => {
  const ids = [await some(await begun()), await some(await begun())];
  // The late time prevents the service's own sweeper from taking these uploads.
  const lastByteAt = new Date(Date.now() + HOUR_MS);
  await harness.uploads.updateMany({ _id: { $in: ids } }, { $set: { state: 'deleted', lastByteAt } });
  const [stuck, other] = ids as [string, string];
  const { uploads: store } = await otherProcess();
  const rows = [(await store.find(await keyOf(stuck)))!, (await store.find(await keyOf(other)))!];
  const idle: typeof store.idle = async state => (state === 'deleted' ? rows : []);
  const sweeper = await otherProcess({ uploads: { ...store, idle }, objects: storeThatKeeps(stuck) });
  await assert.rejects(endHolds(sweeper), /the store keeps it/);
  assert.equal(await harness.uploads.findOne({ _id: other }), null);
  assert.deepEqual(await keysIn(`uploads/${other}/`), []);
  assert.ok(await harness.uploads.findOne({ _id: stuck }), 'a later turn retries it');
});

test('an erasure of a project continues after an upload that the store cannot remove', async () => {
  const response = await begun();
  const [stuck, other] = [await some(response), await some(response)];
  const { erasures } = await otherProcess();
  const purged: string[] = [];
  const uploadsPurged: typeof erasures.uploadsPurged = async ids => {
    purged.push(...ids);
    await erasures.uploadsPurged(ids);
  };
  const parts = { erasures: { ...erasures, uploadsPurged }, objects: storeThatKeeps(stuck) };
  const { projectId } = response;
  await assert.rejects(eraseProject(await otherProcess(parts), projectId), /the store keeps it/);
  assert.deepEqual(purged, [other]);
  assert.deepEqual(await keysIn(`uploads/${other}/`), []);
});
