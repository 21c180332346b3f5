import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { renderOverlay } from '../src/chart.ts';
import { faultsOf } from '../src/faults.ts';
import { ensureHelm, ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, podOf } from '../src/manifests.ts';
import { BASE, ROOT } from '../src/repository.ts';
import { EXAMPLE, openChart } from './rendered-chart.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const tools = await ensureManifestTools(context);
const chart = await openChart(tools, await ensureHelm(context));
after(() => chart[Symbol.asyncDispose]());

const PLACEMENT: Readonly<Record<string, unknown>> = {
  imagePullSecrets: [{ name: 'registry' }],
  nodeSelector: { 'example.com/pool': 'clips' },
  tolerations: [{ key: 'example.com/clips', operator: 'Exists', effect: 'NoSchedule' }],
};

function assertPlaced(objects: Manifest[], kinds: string[]): void {
  const made = objects.flatMap(object => podOf(object) ?? []);
  for (const { spec } of made) assert.partialDeepStrictEqual(spec, PLACEMENT);
  assert.deepEqual([...new Set(objects.filter(podOf).map(({ kind }) => kind))].sort(), kinds);
}

test('every pod of the chart, trial servers included, has the registry’s login and the nodes of the values', async () => {
  const production = await chart.template({ ...PLACEMENT, backup: { claim: 'backups' } }, EXAMPLE);
  assert.equal(await faultsOf(tools, production), '');
  assertPlaced(parse(production), ['CronJob', 'Deployment', 'Job']);
  const local = parse(await chart.template({ ...PLACEMENT, profile: 'local' }));
  assertPlaced(local, ['Deployment', 'Job', 'Pod', 'StatefulSet']);
  const none = parse(await chart.template({}, EXAMPLE)).flatMap(object => podOf(object) ?? []);
  for (const { spec } of none) for (const field of Object.keys(PLACEMENT)) assert.ok(!(field in spec), field);
  assert.match(await chart.refusal({ imagePullSecrets: ['registry'] }, EXAMPLE), /\/imagePullSecrets\/0/);
  assert.match(await chart.refusal({ tolerations: [{ operator: 'exists' }] }, EXAMPLE), /\/tolerations\/0\/operator/);
});

test('every pod of an overlay has them through the patches in deploy/k8s/README.md', async () => {
  const guide = await readFile(join(ROOT, 'deploy/k8s/README.md'), 'utf8');
  const [line] = guide.match(/^- `imagePullSecrets`, `nodeSelector` and `tolerations`.*\n.*$/m) ?? assert.fail('none');
  const patches = [
    ['Deployment|Job', '/spec/template/spec/'] as const,
    ['CronJob', '/spec/jobTemplate/spec/template/spec/'] as const,
    ['Pod', '/spec/'] as const,
  ].map(([kind, path]) => {
    assert.ok(line.includes(kind) && line.includes(`\`${path}`), kind);
    const operations = Object.entries(PLACEMENT).map(([field, value]) => ({ op: 'add', path: path + field, value }));
    return { target: { kind }, patch: JSON.stringify(operations) };
  });
  const components = [join(BASE, '../backup')];
  const text = await renderOverlay(tools, { resources: [BASE, join(BASE, '../admin')], components, patches });
  assertPlaced(parse(text), ['CronJob', 'Deployment', 'Job', 'Pod']);
});
