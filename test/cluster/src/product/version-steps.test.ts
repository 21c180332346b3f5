import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Overlay } from './overlay.ts';
import { versionSteps } from './version-steps.ts';

const overlay: Overlay = async name => [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }];

async function stepsFrom(settings: string) {
  const previous = await mkdtemp(join(tmpdir(), 'version-steps-'));
  try {
    await mkdir(join(previous, 'deploy/k8s/base'), { recursive: true });
    await writeFile(join(previous, 'deploy/k8s/base/settings.env'), settings);
    const { before, steps } = await versionSteps(overlay, previous);
    assert.equal(before.objects[0]?.metadata.name, 'overlay-previous');
    return steps.map(({ objects, isBefore, migrates }) =>
      [objects[0]?.metadata.name, isBefore && 'is before', migrates && 'after its migration']
        .filter(Boolean)
        .join(', '),
    );
  } finally {
    await rm(previous, { recursive: true });
  }
}

test('from a version without certificates the way to them is gone, back, and begun again', async () => {
  assert.deepEqual(await stepsFrom('LOG_LEVEL=info\n'), [
    'overlay-send, after its migration',
    'overlay-accept',
    'overlay-now',
    'overlay-accept',
    'overlay-send',
    'overlay-previous, is before',
    'overlay-send, after its migration',
  ]);
});

test('between versions with certificates each takes the place of the other', async () => {
  assert.deepEqual(await stepsFrom('LOG_LEVEL=info\nINTERNAL_PLAINTEXT=false\n'), [
    'overlay-now, after its migration',
    'overlay-previous, is before',
    'overlay-now, after its migration',
  ]);
});
