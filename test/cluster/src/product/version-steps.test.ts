import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Overlay } from './overlay.ts';
import { versionSteps } from './version-steps.ts';

const overlay: Overlay = async name => [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }];

test('each of two versions replaces the other', async () => {
  const { before, steps } = await versionSteps(overlay, '/previous');
  assert.equal(before.objects[0]?.metadata.name, 'overlay-previous');
  const told = steps.map(({ objects, isBefore, migrates }) =>
    [objects[0]?.metadata.name, isBefore && 'is before', migrates && 'after its migration'].filter(Boolean).join(', '),
  );
  assert.deepEqual(told, [
    'overlay-now, after its migration',
    'overlay-previous, is before',
    'overlay-now, after its migration',
  ]);
});
