import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WORKLOADS } from '../../admin/src/doctor/needs.ts';
import { renderOverlay } from '../src/chart.ts';
import { faultsOf } from '../src/faults.ts';
import { ensureHelm, ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse } from '../src/manifests.ts';
import { PRODUCTION, ROOT } from '../src/repository.ts';
import { EXAMPLE, isHook, openChart } from './rendered-chart.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const tools = await ensureManifestTools(context);
const chart = await openChart(tools, await ensureHelm(context), { withTest: true });
after(() => chart[Symbol.asyncDispose]());

const text = await renderOverlay(tools, { resources: [PRODUCTION], components: [join(PRODUCTION, '../../doctor')] });
const overlay = parse(text);
const IMAGE = { repository: 'registry.test/recording-request', tag: '1.2.3' };
const release = parse(await chart.template({ images: { services: IMAGE } }, EXAMPLE));

// biome-ignore lint/suspicious/noExplicitAny: a container; its schema is valid.
type Container = any;

const containersOf = (all: Manifest[], kind: string, name: RegExp): Container[] =>
  all.find(each => each.kind === kind && name.test(each.metadata.name))!.spec.template.spec.containers;
const workloadOf = (all: Manifest[], name: string): Container =>
  (name === 'migrate'
    ? containersOf(all, 'Job', /^migrate/)
    : containersOf(all, 'Deployment', new RegExp(`^${name}$`)))[0];

test('the overlay with the component is valid', async () => {
  assert.equal(await faultsOf(tools, text), '');
});

for (const [where, all] of Object.entries({ overlay, release }))
  test(`in the ${where}, a container for each workload has its settings and its Secret`, async () => {
    const containers = containersOf(all, 'Job', /^doctor$/);
    const names = Object.keys(WORKLOADS).filter(name => name !== 'backup');
    const { volumes } = all.find(each => each.kind === 'Job' && each.metadata.name === 'doctor')!.spec.template.spec;
    assert.deepEqual(
      containers.map(({ name }) => name),
      names,
    );
    const ofMigrate = (each: Container) => JSON.stringify(each).replaceAll('migrate-settings', 'settings');
    for (const { name, env, envFrom, image, command, args } of containers) {
      const workload = workloadOf(all, name);
      assert.deepEqual(env, workload.env, name);
      if (name !== 'migrate') assert.deepEqual(envFrom, workload.envFrom, name);
      else
        assert.equal(
          ofMigrate(envFrom).replaceAll(/settings-\w+/g, 'settings'),
          ofMigrate(workload.envFrom).replaceAll(/settings-\w+/g, 'settings'),
        );
      assert.equal(image, workloadOf(all, 'projects').image);
      const { secret } = volumes.find((volume: Container) => volume.name === `secrets-${name}`);
      const read = workload.env.find(({ valueFrom }: Container) => valueFrom?.secretKeyRef).valueFrom.secretKeyRef;
      assert.equal(secret.secretName, read.name);
      assert.deepEqual(args.slice(0, 3), ['doctor', '--as', name]);
      await access(join(ROOT, command.at(-1)));
    }
  });

test('with secrets as files and further mounts, the containers of the chart have them too', async () => {
  const services = { webhooks: { mounts: { '/kafka-tls': { secret: { secretName: 'kafka-webhooks' } } } } };
  const changed = await chart.template({ images: { services: IMAGE }, secretFiles: true, services }, EXAMPLE);
  assert.equal(await faultsOf(tools, changed), '');
  const job = parse(changed).find(({ kind, metadata }) => kind === 'Job' && metadata.name === 'doctor')!;
  const { containers, volumes } = job.spec.template.spec;
  const webhooks = containers.find(({ name }: Container) => name === 'webhooks');
  assert.ok(webhooks.env.some(({ name }: Container) => name === 'MONGO_URL_FILE'));
  const secretAt = (path: string) => {
    const { name } = webhooks.volumeMounts.find(({ mountPath }: Container) => mountPath === path);
    return volumes.find((volume: Container) => volume.name === name).secret.secretName;
  };
  assert.equal(secretAt('/secrets'), 'recording-request-webhooks');
  assert.equal(secretAt('/kafka-tls'), 'kafka-webhooks');
});

test('`helm test` runs it with its own account and policies, which the release does not contain', () => {
  const hooks = release.filter(isHook).filter(({ metadata }) => metadata.annotations!['helm.sh/hook'] === 'test');
  const kinds = hooks.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
  const servers = ['kafka', 'mongo', 'objects', 'redis', 'speech', 'telemetry'];
  assert.deepEqual(kinds, [
    'Job doctor',
    ...servers.map(name => `NetworkPolicy doctor-to-${name}`),
    'ServiceAccount doctor',
  ]);
  const weights = hooks.map(({ kind, metadata }) => [kind, Number(metadata.annotations!['helm.sh/hook-weight'] ?? 0)]);
  for (const [kind, weight] of weights) assert.equal(weight, kind === 'Job' ? 0 : -1);
  // Helm never uninstalls a hook.
  for (const { kind, metadata } of hooks)
    assert.equal(
      metadata.annotations!['helm.sh/hook-delete-policy'],
      kind === 'Job' ? 'before-hook-creation' : 'before-hook-creation,hook-succeeded,hook-failed',
    );
});
