import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SERVICES } from '@recording-request/proto/callers';
import { readDrawn } from '../src/drawn.ts';
import { ensureKustomize } from '../src/install.ts';
import { type Manifest, parse, render } from '../src/manifests.ts';
import { BASE, ROOT } from '../src/repository.ts';

const objectsIn = async (file: string): Promise<Manifest[]> =>
  parse(await readFile(join(ROOT, 'deploy/k8s', file), 'utf8'));

const base = parse(await render({ kustomize: await ensureKustomize({ env: process.env, log: console.error }) }, BASE));
const workloads = [...base, ...(await objectsIn('backup/cronjob.yaml')), ...(await objectsIn('admin/pod.yaml'))].filter(
  ({ kind }) => ['Deployment', 'Job', 'CronJob', 'Pod'].includes(kind),
);
const scalers = {
  keda: await objectsIn('scaling/keda/scaledobjects.yaml'),
  cpu: await objectsIn('scaling/cpu/autoscalers.yaml'),
};

const [, picture = ''] =
  /## Workloads and servers\n[\s\S]+?```mermaid\n([\s\S]+?)```/.exec(
    await readFile(join(ROOT, 'deploy/k8s/README.md'), 'utf8'),
  ) ?? [];

const scalerOf = (name: string, among: Manifest[]): Manifest | undefined =>
  among.find(({ spec }) => spec?.scaleTargetRef?.name === name);

/** Returns the picture's lines about a workload. */
function linesOf({ kind, metadata: { name }, spec }: Manifest): string[] {
  const services = base.filter(
    each => each.kind === 'Service' && each.spec.selector['app.kubernetes.io/name'] === name,
  );
  return [
    name,
    kind === 'Deployment' ? `Deployment × ${replicasOf(name, spec)}` : [kind, spec.schedule].filter(Boolean).join(' '),
    ...extrasOf(name),
    ...services.map(({ metadata, spec: { clusterIP, ports } }) => {
      const listed = ports.map(({ port }: { port: number }) => port).join(', ');
      return `${clusterIP === 'None' ? 'headless ' : ''}Service ${metadata.name}: ${listed}`;
    }),
  ];
}

function replicasOf(name: string, spec: Manifest['spec']): string {
  const scaler = scalerOf(name, base);
  return scaler ? `${scaler.spec.minReplicas} to ${scaler.spec.maxReplicas} by CPU` : String(spec.replicas);
}

/** Returns the numbers of replicas that the scaling components set. */
function extrasOf(name: string): string[] {
  const [byLag, byCpu] = [scalerOf(name, scalers.keda)?.spec, scalerOf(name, scalers.cpu)?.spec];
  if (!byLag || !byCpu) return [];
  return [
    `scaling/keda: ${byLag.minReplicaCount} to ${byLag.maxReplicaCount} by lag`,
    `scaling/cpu: ${byCpu.minReplicas} to ${byCpu.maxReplicas} by CPU`,
  ];
}

test('the picture shows every workload of the namespace, its replicas, autoscalers and Services', () => {
  const [, title, inside = ''] = /subgraph product\["namespace (\S+),.*"\]\n([\s\S]+?)\n {2}end/.exec(picture) ?? [];
  assert.equal(title, base.find(({ kind }) => kind === 'Namespace')?.metadata.name);
  const drawn = [...inside.matchAll(/^ +\w+\["(.+)"\]$/gm)].map(([, label]) => label);
  assert.deepEqual(drawn.sort(), workloads.map(each => linesOf(each).join('<br>')).sort());
});

test('pods are spread as in the picture', () => {
  assert.match(picture, /, pods spread over zones, then nodes"\]/);
  for (const { kind, metadata, spec } of base)
    if (kind === 'Deployment')
      assert.deepEqual(
        spec.template.spec.topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey),
        ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'],
        metadata.name,
      );
});

/** The egress policies to servers. An overlay sets their addresses and ports. */
const servers = base.flatMap(({ kind, metadata, spec }) => {
  const [, name] = /^to-(\w+)$/.exec(kind === 'NetworkPolicy' ? metadata.name : '') ?? [];
  return name ? [{ name, pods: podsOf(spec.podSelector) }] : [];
});

function podsOf(selector: Manifest['spec']): string[] {
  return selector.matchExpressions?.[0].values ?? Object.values(selector.matchLabels);
}

test('the picture shows the servers to which the policies allow egress', () => {
  const [, outside = ''] = /subgraph servers\[.+\]\n([\s\S]+?)\n {2}end/.exec(picture) ?? [];
  const drawn = [...outside.matchAll(/^ +(\w+)\[\(".+"\)\]$/gm)].map(([, name]) => name);
  assert.deepEqual(drawn.sort(), servers.map(({ name }) => name).sort());
});

test('the arrows are the calls of ARCHITECTURE.md and the egress of the policies', async () => {
  const names = workloads.map(({ metadata }) => metadata.name);
  const calls = (await readDrawn()).filter(({ from, to }) => names.includes(from) && names.includes(to));
  const wanted = [
    'people → edge',
    'edge → gateway',
    'webhooks → owners',
    ...new Set(calls.map(({ from, to }) => `${from} → ${to}`)),
    ...servers.flatMap(({ name, pods }) =>
      (SERVICES.every(each => pods.includes(each)) ? ['product'] : pods).map(pod => `${pod} → ${name}`),
    ),
  ];
  const drawn = [...picture.matchAll(/^ +(\w[\w &]*) --> (\w[\w &]*)$/gm)].flatMap(([, from = '', to = '']) =>
    from.split(' & ').flatMap(source => to.split(' & ').map(target => `${source} → ${target}`)),
  );
  assert.deepEqual(drawn.sort(), wanted.sort());
});
