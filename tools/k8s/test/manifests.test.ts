import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CONSUMERS, serviceOfGroup } from '@recording-request/events/topics';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { mongoVariables } from '@recording-request/kit-mongo/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { variables as ofBackups } from '../../admin/src/backup/target-variables.ts';
import { environmentOf } from '../src/environment.ts';
import { faultsOf } from '../src/faults.ts';
import { ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, render } from '../src/manifests.ts';
import { BASE, LOCAL, LOCAL_VERSITY, ROOT, readConfigOf } from '../src/repository.ts';
import { SERVICES, secretsAmong } from '../src/settings.ts';

const tools = await ensureManifestTools({ env: process.env, log: line => console.error(line) });
const rendered = { base: await render(tools, BASE), local: await render(tools, LOCAL) };

/** Changes one file in a copy of the manifests and returns kubectl-validate's messages about the base. */
async function faultsWith(file: string, from: string, to: string): Promise<string> {
  await using dir = await tempDir();
  await cp(join(ROOT, 'deploy/k8s'), dir.path, { recursive: true });
  const path = join(dir.path, 'base', file);
  const text = await readFile(path, 'utf8');
  assert.ok(text.includes(from), `${file} no longer has ${from}`);
  await writeFile(path, text.replace(from, to));
  return faultsOf(tools, await render(tools, join(dir.path, 'base')));
}

test('the rendered base and overlays are valid', async () => {
  for (const [name, text] of Object.entries({ ...rendered, versity: await render(tools, LOCAL_VERSITY) })) {
    assert.ok(parse(text).length > 20, name);
    assert.equal(await faultsOf(tools, text), '', name);
  }
});

test('finds an unknown field', async () => {
  assert.match(await faultsWith('projects.yaml', 'serviceAccountName:', 'serviceAccountNam:'), /serviceAccountNam/);
});

test('finds a value of the wrong type in the part that all pods share', async () => {
  const faults = await faultsWith('pod.yaml', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: sometimes');
  assert.match(faults, /readOnlyRootFilesystem/);
});

test('the ports of Services keep their names: a renamed port has no pods for half a second', () => {
  const services = parse(rendered.base).filter(({ kind }) => kind === 'Service');
  const names = services.map(({ metadata, spec }) => [
    metadata.name,
    spec.ports.map(({ name }: { name: string }) => name).join(' '),
  ]);
  assert.deepEqual(Object.fromEntries(names), {
    gateway: 'http',
    projects: 'grpc operator',
    submissions: 'grpc operator',
    'submissions-http': 'http',
    media: 'grpc',
    webhooks: 'grpc operator',
  });
});

const COMPONENTS: Array<[component: string, kinds: Record<string, number>]> = [
  ['backup', { ServiceAccount: 1, CronJob: 1 }],
  ['backup-bucket', { ServiceAccount: 1, CronJob: 1, NetworkPolicy: 1 }],
  ['certificates', { Issuer: 2, Certificate: 8 }],
  ['doctor', { ServiceAccount: 1, Job: 1 }],
  ['edge/gateway-api', { HTTPRoute: 1 }],
  ['edge/ingress', { Ingress: 1 }],
  ['egress/cilium', { CiliumNetworkPolicy: 3 }],
  ['scaling/cpu', { HorizontalPodAutoscaler: 3 }],
  ['scaling/keda', { ScaledObject: 3 }],
  ['scaling/keda-login', { ScaledObject: 3, TriggerAuthentication: 1 }],
  ['scaling/streams', { ScaledObject: 2 }],
];

test('the ingress sets no limit on the size or duration of an upload', async () => {
  const [route] = parse(await renderWith('edge/gateway-api')).filter(({ kind }) => kind === 'HTTPRoute');
  assert.deepEqual(route!.spec.rules[0].timeouts, { request: '0s', backendRequest: '0s' });
  const [ingress] = parse(await renderWith('edge/ingress')).filter(({ kind }) => kind === 'Ingress');
  assert.equal(ingress!.metadata.annotations!['nginx.ingress.kubernetes.io/proxy-body-size'], '0');
});

/** Renders the base with a component, after an optional change. */
async function renderWith(component: string, change?: { file: string; from: string; to: string }): Promise<string> {
  await using dir = await tempDir();
  await cp(join(ROOT, 'deploy/k8s'), dir.path, { recursive: true });
  const overlay = join(dir.path, 'overlays/tried');
  await mkdir(overlay);
  const text = JSON.stringify({ resources: ['../../base'], components: [`../../${component}`] });
  await writeFile(join(overlay, 'kustomization.yaml'), text);
  if (change) {
    const path = join(dir.path, component, change.file);
    const before = await readFile(path, 'utf8');
    assert.ok(before.includes(change.from), `${change.file} no longer has ${change.from}`);
    await writeFile(path, before.replace(change.from, change.to));
  }
  return await render(tools, overlay);
}

const ofBase = new Set(parse(rendered.base).map(({ kind, metadata }) => `${kind} ${metadata.name}`));
for (const [component, kinds] of COMPONENTS)
  test(`an overlay may add ${component}: it is valid, and refers to existing workloads and ports`, async () => {
    const text = await renderWith(component);
    assert.equal(await faultsOf(tools, text), '');
    const added = parse(text).filter(({ kind, metadata }) => !ofBase.has(`${kind} ${metadata.name}`));
    assert.deepEqual(
      Object.fromEntries(
        Map.groupBy(added, ({ kind }) => kind)
          .entries()
          .map(([kind, all]) => [kind, all.length]),
      ),
      kinds,
    );
    const deployments = new Set([...ofBase].filter(each => each.startsWith('Deployment ')));
    for (const { kind, metadata, spec } of added)
      if (spec?.scaleTargetRef)
        assert.ok(deployments.has(`Deployment ${spec.scaleTargetRef.name}`), `${kind} ${metadata.name}`);
  });

/** Returns the keys of Secrets that a workload's container gets as variables with the same names. */
function secretsOf({ kind, spec }: Manifest): string[] {
  const { template } = kind === 'CronJob' ? spec.jobTemplate.spec : spec;
  const env: Manifest['spec'][] = template.spec.containers[0].env;
  return env.filter(({ name, valueFrom }) => valueFrom?.secretKeyRef?.key === name).map(({ name }) => name);
}

test('every service and command gets the secrets that it reads from the Secret', async () => {
  const ofTheServers = { ...mongoVariables, ...kafkaVariables, ...objectVariables };
  const readers = { ...SERVICES, migrate: ofTheServers, backup: { ...ofTheServers, ...ofBackups } };
  const workloads = parse(await renderWith('backup-bucket')).filter(({ kind }) =>
    ['Deployment', 'Job', 'CronJob'].includes(kind),
  );
  assert.deepEqual(workloads.map(({ metadata }) => metadata.name).sort(), Object.keys(readers).sort());
  for (const [name, variables] of Object.entries(readers)) {
    const given = secretsOf(workloads.find(({ metadata }) => metadata.name === name)!);
    const missing = secretsAmong(Object.values(variables)).filter(secret => !given.includes(secret));
    assert.deepEqual(missing, [], name);
  }
});

test('finds an unknown field of a custom resource', async () => {
  const change = { file: 'scaledobjects.yaml', from: 'pollingInterval:', to: 'pollInterval:' };
  assert.match(await faultsOf(tools, await renderWith('scaling/keda', change)), /pollInterval/);
  const names = { file: 'policies.yaml', from: 'toFQDNs: [{ matchName:', to: 'toFQDNs: [{ matchNames:' };
  assert.match(await faultsOf(tools, await renderWith('egress/cilium', names)), /matchNames/);
});

/** Returns the configuration of a service without a setting for its partitions. */
async function configOf(service: string): Promise<Record<string, number>> {
  const local = parse(rendered.local);
  const deployment = local.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === service)!;
  return (await readConfigOf(service, environmentOf(deployment, local))) as Record<string, number>;
}

const { kafkaPartitions } = await configOf('submissions');
const WORKERS = ['media', 'transcription', 'webhooks'];

for (const [component, kind, most] of [
  ['scaling/keda', 'ScaledObject', 'maxReplicaCount'],
  ['scaling/cpu', 'HorizontalPodAutoscaler', 'maxReplicas'],
] as const)
  test(`${component}: no more workers than partitions`, async () => {
    const scaled = parse(await renderWith(component)).filter(
      each => each.kind === kind && WORKERS.includes(each.metadata.name),
    );
    assert.deepEqual(scaled.map(({ metadata }) => metadata.name).sort(), WORKERS);
    for (const { metadata, spec } of scaled)
      assert.ok(spec[most] <= kafkaPartitions!, `${metadata.name}: more pods than partitions`);
  });

test('KEDA reads the lag of every group of a worker', async () => {
  for (const { kind, metadata, spec } of parse(await renderWith('scaling/keda'))) {
    if (kind !== 'ScaledObject') continue;
    const triggers: { metadata: Record<string, string> }[] = spec.triggers;
    const read = triggers.map(({ metadata: kafka }) => [kafka.topic, kafka.consumerGroup]);
    assert.deepEqual(
      read,
      CONSUMERS.filter(([, group]) => serviceOfGroup(group) === metadata.name),
    );
    for (const { metadata: kafka } of triggers) {
      // By default, KEDA counts a partition without a committed offset as one waiting job. With `earliest`, KEDA counts
      // all records of the partition, as the services read them.
      assert.equal(kafka.offsetResetPolicy, 'earliest');
    }
    // While Kafka does not respond, jobs still wait, so KEDA must keep the pods.
    assert.deepEqual(spec.fallback, { failureThreshold: 3, replicas: 2, behavior: 'currentReplicasIfHigher' });
  }
});

test('KEDA logs in to Kafka with the credentials and the authority of the containers that it scales', async () => {
  const objects = parse(await renderWith('scaling/keda-login'));
  const { metadata, spec } = objects.find(({ kind }) => kind === 'TriggerAuthentication')!;
  const scaled = objects.filter(({ kind }) => kind === 'ScaledObject');
  assert.equal(scaled.length, WORKERS.length);
  for (const { spec: wanted } of scaled) {
    for (const trigger of wanted.triggers) assert.equal(trigger.authenticationRef.name, metadata.name);
    const deployment = objects.find(
      ({ kind, metadata: { name } }) => kind === 'Deployment' && name === wanted.scaleTargetRef.name,
    )!;
    const pod = deployment.spec.template.spec;
    const [container] = pod.containers;
    const variables = container.env.map(({ name }: { name: string }) => name);
    for (const { name, containerName } of spec.env)
      assert.ok(containerName === container.name && variables.includes(name), name);
    const [{ name: authority }] = spec.secretTargetRef;
    assert.ok(pod.volumes.some((each: Manifest['spec']) => each.secret?.secretName === authority));
  }
});

test('finds an unknown field of KEDA’s login', async () => {
  const change = { file: 'triggerauthentication.yaml', from: 'secretTargetRef:', to: 'secretRef:' };
  assert.match(await faultsOf(tools, await renderWith('scaling/keda-login', change)), /secretRef/);
});

test('every object is in the one namespace, which enforces the restricted standard', () => {
  for (const object of parse(rendered.local)) {
    if (object.kind === 'Namespace')
      assert.equal(object.metadata.labels?.['pod-security.kubernetes.io/enforce'], 'restricted');
    else assert.equal(object.metadata.namespace, 'recording-request', `${object.kind} ${object.metadata.name}`);
  }
});

const all = parse(rendered.local);
const pods = all.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind));
const admin = all.find(({ kind }) => kind === 'Pod')!;
const nameOf = (labels?: Record<string, string>) => labels?.['app.kubernetes.io/name'];

test('the stores of the overlay meet the restricted standard too', () => {
  const stores = pods.filter(({ kind }) => kind === 'StatefulSet');
  assert.equal(stores.length, 3);
  for (const { metadata, spec } of stores) {
    const { securityContext, containers, enableServiceLinks } = spec.template.spec;
    assert.equal(enableServiceLinks, false);
    assert.equal(securityContext.runAsNonRoot, true, metadata.name);
    assert.equal(securityContext.seccompProfile.type, 'RuntimeDefault');
    assert.deepEqual(containers[0].securityContext, {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
  }
});

test('a migration brings the objects of the new version that it needs', () => {
  const parts = parse(rendered.base);
  const { spec } = parts.find(({ kind }) => kind === 'Job')!.spec.template;
  const policies = parts.filter(
    ({ kind, spec: { podSelector, egress } = {} }) =>
      kind === 'NetworkPolicy' &&
      egress &&
      (Object.keys(podSelector).length === 0 || namesWithin(podSelector).includes('migrate')),
  );
  const settings = spec.containers[0].envFrom.map((each: Manifest['spec']) => `ConfigMap ${each.configMapRef.name}`);
  const needed = [
    ...new Set(settings),
    `ServiceAccount ${spec.serviceAccountName}`,
    'Job migrate',
    ...policies.map(inWords),
  ];
  assert.ok(policies.length > 1);
  const applied = parts.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'migration');
  assert.deepEqual(applied.map(inWords).sort(), needed.sort());
});

const inWords = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

test('budgets, autoscalers and network policies name existing workloads', () => {
  // The last four names are not in the overlay, because other components add these workloads.
  const names = new Set([...[...pods, admin].map(pod => pod.metadata.name), 'backup', 'doctor', 'speech', 'collector']);
  const named = (object: Manifest): string[] => {
    if (object.kind === 'HorizontalPodAutoscaler') return [object.spec.scaleTargetRef.name];
    if (object.kind === 'PodDisruptionBudget') return [nameOf(object.spec.selector.matchLabels) ?? 'none'];
    return object.kind === 'NetworkPolicy' ? namesWithin(object.spec) : [];
  };
  for (const object of all)
    for (const name of named(object)) assert.ok(names.has(name), `${object.kind} ${object.metadata.name}: ${name}`);
  const scaled = all.filter(({ kind }) => kind === 'HorizontalPodAutoscaler').flatMap(named);
  assert.deepEqual(scaled.sort(), ['gateway', 'projects', 'submissions']);
  const budgets = all.filter(({ kind }) => kind === 'PodDisruptionBudget').flatMap(named);
  assert.equal(new Set(budgets).size, 6);
});

/** Returns the names of workloads in all pod selectors below `value`. */
function namesWithin(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { key, values } = value as { key?: string; values?: string[] };
  if (key === 'app.kubernetes.io/name') return values ?? [];
  return Object.entries(value).flatMap(([field, inner]) =>
    field === 'app.kubernetes.io/name' ? [String(inner)] : namesWithin(inner),
  );
}
