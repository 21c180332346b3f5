import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployment, settings } from './example-objects.ts';
import { joinFolders } from './repeated.ts';

test('an object with different contents in two folders is a fault, and counts once', () => {
  const { objects, findings } = joinFolders([
    { name: 'mine', objects: [deployment('gateway'), deployment('media'), settings({ A: '1' })] },
    { name: 'mine/edge', objects: [deployment('gateway', { tty: true }), settings({ A: '2' })] },
  ]);
  assert.deepEqual(
    objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ['Deployment gateway', 'Deployment media', 'ConfigMap settings'],
  );
  assert.deepEqual(
    findings.map(({ text }) => text),
    [
      'Deployment gateway and 1 other object are in mine and in mine/edge, with different contents: check only the folders that you apply, and keep each object in one of them.',
    ],
  );
});

test('equal objects in two folders are no fault', () => {
  const { objects, findings } = joinFolders([
    { name: 'mine', objects: [deployment('gateway')] },
    { name: 'mine/admin', objects: [deployment('gateway'), deployment('media')] },
  ]);
  assert.deepEqual([objects.length, findings], [2, []]);
});
