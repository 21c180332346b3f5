import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { faultsOf } from '../src/faults.ts';
import { ensureHelm, ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, podOf } from '../src/manifests.ts';
import { PRODUCTION } from '../src/repository.ts';
import { productionOverlay } from './production-overlay.ts';
import { EXAMPLE, openChart, podsOf } from './rendered-chart.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const tools = await ensureManifestTools(context);
const helm = await ensureHelm(context);
const chart = await openChart(tools, helm);
const withTest = await openChart(tools, helm, { withTest: true });
after(() => Promise.all([chart, withTest].map(each => each[Symbol.asyncDispose]())));

const PLACEMENT = {
  imagePullSecrets: [{ name: 'registry' }],
  priorityClassName: 'clips',
  nodeSelector: { 'example.com/pool': 'clips' },
  tolerations: [{ key: 'example.com/clips', operator: 'Exists', effect: 'NoSchedule' }],
};
const TEAM = { 'example.com/team': 'clips' };
const SCRAPE = { 'example.com/scrape': 'true' };
const EVERY = { ...PLACEMENT, podLabels: TEAM, podAnnotations: SCRAPE };

function assertPlaced(objects: Manifest[], kinds: string[]): void {
  for (const pod of objects.flatMap(object => podOf(object) ?? []))
    assert.partialDeepStrictEqual(pod, { spec: PLACEMENT, metadata: { labels: TEAM, annotations: SCRAPE } });
  assert.deepEqual([...new Set(objects.filter(podOf).map(({ kind }) => kind))].sort(), kinds);
}

test('every pod of the chart, doctor and trial servers included, has the placement, labels and annotations of the values', async () => {
  const production = await withTest.template({ ...EVERY, backup: { claim: 'backups' } }, EXAMPLE);
  assert.equal(await faultsOf(tools, production), '');
  assertPlaced(parse(production), ['CronJob', 'Deployment', 'Job']);
  const jobs = parse(production).filter(({ kind }) => kind === 'Job');
  assert.deepEqual(jobs.map(({ metadata }) => metadata.name).sort(), ['doctor', 'migrate']);
  const local = parse(await chart.template({ ...EVERY, profile: 'local' }));
  assertPlaced(local, ['Deployment', 'Job', 'Pod', 'StatefulSet']);
  const none = parse(await chart.template({}, EXAMPLE)).flatMap(object => podOf(object) ?? []);
  for (const { spec } of none) for (const field of Object.keys(PLACEMENT)) assert.ok(!(field in spec), field);
  assert.match(await chart.refusal({ imagePullSecrets: ['registry'] }, EXAMPLE), /\/imagePullSecrets\/0/);
  assert.match(await chart.refusal({ tolerations: [{ operator: 'exists' }] }, EXAMPLE), /\/tolerations\/0\/operator/);
  const name = { 'app.kubernetes.io/name': 'other' };
  assert.match(await chart.refusal({ podLabels: name }, EXAMPLE), /\/podLabels\/app\.kubernetes\.io~1name/);
});

test('the values of one workload override or complete the common ones', async () => {
  const backup = {
    ...{ priorityClassName: 'night', nodeSelector: { 'example.com/zone': 'a' }, tolerations: [{ operator: 'Exists' }] },
    ...{ podLabels: { 'example.com/team': 'storage' }, podAnnotations: { 'example.com/note': 'nightly' } },
  };
  const serviceAccount = { annotations: { 'example.com/role': 'backup' } };
  const common = { serviceAccount: { labels: TEAM, annotations: { 'example.com/role': 'none' } } };
  const services = { backup: { ...backup, serviceAccount }, migrate: { serviceAccount }, doctor: { serviceAccount } };
  const text = await withTest.template({ ...EVERY, ...common, services, backup: { claim: 'backups' } }, EXAMPLE);
  assert.equal(await faultsOf(tools, text), '');
  const { CronJob, ...others } = Object.groupBy(parse(text).filter(podOf), ({ kind }) => kind);
  assertPlaced(
    Object.values(others).flatMap(all => all ?? []),
    ['Deployment', 'Job'],
  );
  const [{ metadata, spec }] = CronJob!.map(each => podOf(each)!) as [{ metadata: Manifest['metadata']; spec: object }];
  assert.partialDeepStrictEqual(spec, {
    imagePullSecrets: PLACEMENT.imagePullSecrets,
    priorityClassName: 'night',
    nodeSelector: { ...PLACEMENT.nodeSelector, ...backup.nodeSelector },
  });
  assert.deepEqual((spec as { tolerations: object }).tolerations, backup.tolerations);
  assert.equal(metadata.labels!['example.com/team'], 'storage');
  assert.equal(metadata.labels!['app.kubernetes.io/name'], 'backup');
  assert.deepEqual(metadata.annotations, { ...SCRAPE, 'example.com/note': 'nightly' });
  const roles = parse(text)
    .filter(({ kind }) => kind === 'ServiceAccount')
    .map(({ metadata }) => [
      metadata.name,
      metadata.labels!['example.com/team'],
      metadata.annotations!['example.com/role'],
    ]);
  assert.equal(roles.length, 9);
  for (const [account = '', team, role] of roles)
    assert.deepEqual([team, role], ['clips', account in services ? 'backup' : 'none'], account);
});

test('the examples for an overlay and the values with the same names are equivalent', async () => {
  const examples = parseYaml(await readFile(join(PRODUCTION, 'examples/pods.yaml'), 'utf8'));
  const files = { 'logo.svg': '<svg/>' };
  const overlay = await productionOverlay(tools, { ...examples, files, components: ['../../backup'] });
  assert.equal(await faultsOf(tools, overlay), '');
  assertPlaced(
    parse(overlay).filter(({ metadata }) => metadata.name !== 'media'),
    ['CronJob', 'Deployment', 'Job'],
  );
  const role = 'arn:aws:iam::111122223333:role/recording-request-submissions';
  const services = {
    gateway: {
      mounts: { '/brand': { configMap: { name: 'brand' } } },
      settings: { BRAND_LOGO_FILE: '/brand/logo.svg' },
    },
    media: {
      podLabels: { 'example.com/cost': 'video' },
      nodeSelector: { 'example.com/pool': 'video' },
      settings: { MEDIA_SLOTS: 2 },
    },
    submissions: { serviceAccount: { labels: TEAM, annotations: { 'eks.amazonaws.com/role-arn': role } } },
  };
  const values = await chart.template({ ...EVERY, services, backup: { claim: 'backup' } }, EXAMPLE);
  assert.equal(await faultsOf(tools, values), '');
  assert.deepEqual(podsOf(values), podsOf(overlay));
  assert.match(await chart.refusal({ services: { gateway: { mounts: { brand: {} } } } }, EXAMPLE), /mounts/);
});
