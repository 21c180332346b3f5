import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { HEALTH, versitygwArgs } from '@recording-request/stack/servers/versitygw';
import { parse as parseYaml } from 'yaml';
import { ensureKustomize } from '../src/install.ts';
import { type Manifest, parse, render } from '../src/manifests.ts';
import { LOCAL, LOCAL_VERSITY, ROOT } from '../src/repository.ts';

const kustomize = await ensureKustomize({ env: process.env, log: line => console.error(line) });

// packages/kit-objects/test/objects.test.ts starts the gateway with the same arguments and tests it against the store's contract.
const ARGS = versitygwArgs(':9000', '/metadata', '/objects');
const KEYS = { ROOT_ACCESS_KEY: 'S3_ACCESS_KEY', ROOT_SECRET_KEY: 'S3_SECRET_KEY' };

test('compose.versity.yaml changes only the store, and starts it as the tests do', async () => {
  const read = async (file: string) => parseYaml(await readFile(join(ROOT, 'deploy', file), 'utf8'), { merge: true });
  const [{ services: all }, { services, volumes }] = await Promise.all([
    read('compose.yaml'),
    read('compose.versity.yaml'),
  ]);
  assert.deepEqual(Object.keys(services), ['objects']);
  const { image, command, environment, volumes: mounts, healthcheck } = services.objects;
  assert.deepEqual(command, ARGS);
  for (const [name, key] of Object.entries(KEYS)) assert.match(environment[name], new RegExp(`^\\$\\{${key}:\\?`));
  assert.deepEqual(mounts, ['versity-objects:/objects', 'versity-metadata:/metadata']);
  assert.deepEqual(Object.keys(volumes), ['versity-objects', 'versity-metadata']);
  assert.equal(healthcheck.test.at(-1), `http://127.0.0.1:9000${HEALTH}`);
  assert.equal(all.submissions.environment.S3_ENDPOINT, 'http://objects:9000');
  assert.equal(image, (await storeOf(LOCAL_VERSITY)).image);
});

test('overlays/local-versity changes only the store, and starts it as the tests do', async () => {
  const [local, versity] = await Promise.all([objectsOf(LOCAL), objectsOf(LOCAL_VERSITY)]);
  const isStore = ({ kind, metadata }: Manifest) => kind === 'StatefulSet' && metadata.name === 'objects';
  assert.deepEqual(
    versity.filter(each => !isStore(each)),
    local.filter(each => !isStore(each)),
  );
  const { args, env, startupProbe, readinessProbe, volumeMounts } = await storeOf(LOCAL_VERSITY);
  assert.deepEqual(args, ARGS);
  const keys = env.map(({ name, valueFrom }: Manifest['spec']) => [name, valueFrom.secretKeyRef.key]);
  assert.deepEqual(Object.fromEntries(keys), KEYS);
  for (const { httpGet } of [startupProbe, readinessProbe]) assert.deepEqual(httpGet, { path: HEALTH, port: 's3' });
  const mounted = volumeMounts.map(({ mountPath, subPath }: Manifest['spec']) => [mountPath, subPath]);
  assert.deepEqual(mounted, [
    ['/objects', 'objects'],
    ['/metadata', 'metadata'],
  ]);
});

async function objectsOf(overlay: string): Promise<Manifest[]> {
  return parse(await render({ kustomize }, overlay));
}

async function storeOf(overlay: string): Promise<Manifest['spec']> {
  const store = (await objectsOf(overlay)).find(
    ({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'objects',
  );
  return store!.spec.template.spec.containers[0];
}
