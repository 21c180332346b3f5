import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { parse, stringify } from 'yaml';
import { ROOT } from '../repository.ts';
import { withShippedBase } from './remote-base.ts';

async function write(folder: string, fields: object): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'kustomization.yaml'), stringify(fields));
  return folder;
}

test('takes the manifests of this version for those of a Git repository', async () => {
  await using dir = await tempDir();
  const common = await write(join(dir.path, 'common'), {
    components: ['git@git.corp.internal:apps/clips.git//deploy/k8s/certificates?ref=v1.0.0'],
  });
  const base = 'https://git.corp.internal/apps/clips.git//deploy/k8s/base/?ref=v1.0.0';
  const other = 'https://git.corp.internal/apps/other.git//deploy/base?ref=main';
  const unknown = 'https://git.corp.internal/apps/clips.git//deploy/k8s/bases?ref=v1.0.0';
  const mine = await write(join(dir.path, 'mine'), {
    namespace: 'clips',
    resources: [base, other, unknown],
    components: ['../common'],
  });
  await writeFile(join(mine, 'settings.env'), 'A=1\n');
  const { folders, notes } = await withShippedBase([mine], join(dir.path, 'scratch'));
  const [copy = ''] = folders;
  const fieldsIn = async (folder: string) => parse(await readFile(join(folder, 'kustomization.yaml'), 'utf8'));
  const { namespace, resources, components } = await fieldsIn(copy);
  assert.deepEqual([namespace, components], ['clips', ['../common']]);
  assert.equal(resolve(copy, resources[0]), join(ROOT, 'deploy/k8s/base'));
  assert.deepEqual(resources.slice(1), [other, unknown]);
  assert.equal(await readFile(join(copy, 'settings.env'), 'utf8'), 'A=1\n');
  const copied = await fieldsIn(join(copy, relative(mine, common)));
  assert.equal(resolve(copy, '../common', copied.components[0]), join(ROOT, 'deploy/k8s/certificates'));
  assert.deepEqual(
    notes.map(({ text, isNote }) => isNote && text).sort(),
    ['git@git.corp.internal:', 'https://git.corp.internal/'].map(
      host =>
        `${host}apps/clips.git//deploy/k8s?ref=v1.0.0 is checked as the manifests of this version: use the check of the version that it names.`,
    ),
  );
});

test('copies nothing of an overlay with local bases', async () => {
  await using dir = await tempDir();
  const mine = await write(join(dir.path, 'mine'), { resources: ['../base'] });
  assert.deepEqual(await withShippedBase([mine], dir.path), { folders: [mine], notes: [] });
});
