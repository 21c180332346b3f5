import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { withoutHash } from '../src/chart.ts';
import { NAMES } from '../src/images/product.ts';
import { ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, render } from '../src/manifests.ts';
import { LOCAL, OPERATORS, PRODUCTION, ROOT } from '../src/repository.ts';

const tools = await ensureManifestTools({ env: process.env, log: line => console.error(line) });
const objects = parse(await render(tools, PRODUCTION));

const isForMigration = ({ metadata }: Manifest) => metadata.labels?.['app.kubernetes.io/component'] === 'migration';
const waveOf = ({ metadata }: Manifest) => Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);
const jobOf = (all: Manifest[]) => all.find(({ kind, metadata }) => kind === 'Job' && metadata.name === 'migrate')!;

test('Argo CD replaces the migration Job, after all objects that it needs and before all others', () => {
  const job = jobOf(objects);
  assert.partialDeepStrictEqual(job.metadata.annotations, {
    'argocd.argoproj.io/hook': 'Sync',
    'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
  });
  const wave = waveOf(job);
  const needed = objects.filter(object => object !== job && isForMigration(object));
  assert.deepEqual(new Set(needed.map(({ kind }) => kind)), new Set(['ConfigMap', 'ServiceAccount', 'NetworkPolicy']));
  for (const object of needed) assert.ok(waveOf(object) < wave, `${object.kind} ${object.metadata.name}`);
  for (const object of objects.filter(object => !isForMigration(object)))
    assert.ok(waveOf(object) > wave, `${object.kind} ${object.metadata.name}`);
});

test('where the servers are part of the overlay, Argo CD does not wait for the migration before it starts them', async () => {
  for (const overlay of [LOCAL, OPERATORS]) assert.equal(waveOf(jobOf(parse(await render(tools, overlay)))), 0);
});

test('Flux replaces the Job when it changes, and the Job does not expire, because Flux would then run it again', () => {
  const { metadata, spec } = jobOf(objects);
  assert.equal(metadata.annotations?.['kustomize.toolkit.fluxcd.io/force'], 'enabled');
  assert.equal(spec.ttlSecondsAfterFinished, undefined);
});

test('the settings of the previous version stay while its pods still read them', () => {
  const maps = objects.filter(({ kind }) => kind === 'ConfigMap');
  assert.ok(maps.length > 0);
  for (const { metadata } of maps) {
    assert.notEqual(withoutHash(metadata.name), metadata.name);
    assert.partialDeepStrictEqual(metadata.annotations, {
      'argocd.argoproj.io/sync-options': 'PruneLast=true',
      'kustomize.toolkit.fluxcd.io/prune': 'disabled',
    });
  }
});

test('the examples are YAML of at most 20 lines, and check and deploy the production overlay or the chart', async () => {
  const text = await readFile(join(ROOT, 'deploy/gitops/README.md'), 'utf8');
  const examples = [...text.matchAll(/^```\n([^`]*)^```$/gm)].map(([, example]) => example!);
  for (const example of examples) assert.ok(example.trimEnd().split('\n').length <= 20, example);
  const [ci, ...all] = examples.map(example => parseYaml(example) as Manifest);
  const command = ci!.jobs.check.steps.at(-1).run;
  assert.match(command, new RegExp(`^docker run .* REGISTRY/${NAMES.check}:1\\.0\\.0 deploy/k8s/overlays/ours$`));
  const kinds = all.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  assert.deepEqual(kinds, [
    'argoproj.io/v1alpha1 Application',
    'kustomize.toolkit.fluxcd.io/v1 Kustomization',
    'helm.toolkit.fluxcd.io/v2 HelmRelease',
  ]);
  for (const path of [all[0]!.spec.source.path, all[1]!.spec.path])
    assert.match(path, /^(?:\.\/)?deploy\/k8s\/overlays\/ours$/);
  assert.ok(!text.includes('migrate-1'));
});
