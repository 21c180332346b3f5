import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CHECKS, OWN_CHECKS } from '@recording-request/kit-telemetry/checks';
import { clusterAttributes, readSignals } from '@recording-request/kit-telemetry/settings';
import { readCompose } from '../src/compose.ts';
import { ensureHelm, ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, podOf, render } from '../src/manifests.ts';
import { BASE, LOCAL, ROOT, readEnvFile, serviceNames } from '../src/repository.ts';
import { EXAMPLE, openChart } from './rendered-chart.ts';

interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: { fieldRef?: { fieldPath: string }; secretKeyRef?: object };
}

const context = { env: process.env, log: (line: string) => console.error(line) };
const tools = await ensureManifestTools(context);
const chart = await openChart(tools, await ensureHelm(context));
after(() => chart[Symbol.asyncDispose]());
const deployments = parse(await render(tools, BASE)).filter(({ kind }) => kind === 'Deployment');
const containerOf = (deployment: Manifest) => podOf(deployment)!.spec.containers[0] as { name: string; env: EnvVar[] };

test('with Compose, every telemetry variable reaches every service', async () => {
  // Excludes the name, because each service has a different one.
  const names = Object.keys({ ...CHECKS, ...OWN_CHECKS }).filter(name => name !== 'OTEL_SERVICE_NAME');
  const { migrate: _, ...services } = await readCompose(join(ROOT, 'deploy/compose.yaml'), {
    ...(await readEnvFile(join(LOCAL, 'secrets.env'))),
    SPEECH_BASE_URL: 'http://speech:8000/v1',
    ...Object.fromEntries(names.map(name => [name, `the ${name}`])),
  });
  assert.deepEqual(Object.keys(services).sort(), (await serviceNames()).sort());
  for (const [service, { environment }] of Object.entries(services)) {
    assert.equal(environment.OTEL_SERVICE_NAME, service);
    const missing = names.filter(name => environment[name] !== `the ${name}`);
    assert.deepEqual(missing, [], service);
  }
});

test('in Kubernetes, the collector’s headers, for all signals or one, come from the Secret', async () => {
  assert.deepEqual(deployments.map(({ metadata }) => metadata.name).sort(), (await serviceNames()).sort());
  const headers = Object.keys(CHECKS).filter(name => name.endsWith('_HEADERS'));
  assert.equal(headers.length, 4);
  for (const deployment of deployments) {
    const { env } = containerOf(deployment);
    for (const key of headers)
      assert.deepEqual(
        env.find(({ name }) => name === key)?.valueFrom?.secretKeyRef,
        { name: 'recording-request', key, optional: true },
        `${key} of ${deployment.metadata.name}`,
      );
  }
});

test('in Kubernetes, each service names its pod in its telemetry, through every variable for it', () => {
  const read = new Set<string>();
  clusterAttributes(new Proxy({}, { get: (_, name) => void read.add(String(name)) }));
  assert.ok(read.has('K8S_POD_NAME'));
  for (const deployment of deployments) {
    const { name: container, env } = containerOf(deployment);
    const given = env.filter(({ name }) => name.startsWith('K8S_'));
    assert.deepEqual(
      Object.fromEntries(given.map(({ name, value, valueFrom }) => [name, value ?? valueFrom?.fieldRef?.fieldPath])),
      {
        K8S_POD_NAME: 'metadata.name',
        K8S_POD_UID: 'metadata.uid',
        K8S_NAMESPACE_NAME: 'metadata.namespace',
        K8S_NODE_NAME: 'spec.nodeName',
        K8S_DEPLOYMENT_NAME: "metadata.labels['app.kubernetes.io/name']",
        K8S_CONTAINER_NAME: container,
      },
    );
    assert.deepEqual(given.map(({ name }) => name).sort(), [...read].sort());
    assert.equal(podOf(deployment)!.metadata!.labels!['app.kubernetes.io/name'], deployment.metadata.name);
  }
});

const ASKED = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.corp.internal:4318',
  OTEL_LOGS_EXPORTER: 'otlp',
  OTEL_METRICS_EXPORTER: 'otlp,prometheus',
};

test('in Kubernetes, telemetry settings apply only to services: a migration and a backup send none', async () => {
  const all = parse(await chart.template({ settings: ASKED, backup: { claim: 'backups' } }, EXAMPLE));
  const sends = all.flatMap(object => {
    const [container] = podOf(object)?.spec.containers ?? [];
    if (!container) return [];
    assert.ok(container.envFrom, object.metadata.name);
    const own = (container.env as EnvVar[]).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
    return [
      [object.metadata.name.replace(/-\d+$/, ''), readSignals({ ...ASKED, ...Object.fromEntries(own) })] as const,
    ];
  });
  const everything = { traces: true, metrics: true, logs: true };
  const nothing = { traces: false, metrics: false, logs: false };
  assert.deepEqual(Object.fromEntries(sends), {
    ...Object.fromEntries((await serviceNames()).map(name => [name, everything])),
    migrate: nothing,
    backup: nothing,
  });
});

test('in Kubernetes, the operator’s pod has no settings, and so no telemetry', async () => {
  const [pod] = parse(await render(tools, join(ROOT, 'deploy/k8s/admin'))).filter(({ kind }) => kind === 'Pod');
  for (const { env, envFrom } of pod!.spec.containers) {
    assert.equal(envFrom, undefined);
    assert.deepEqual(
      (env as EnvVar[]).filter(({ name }) => name.startsWith('OTEL_')),
      [],
    );
  }
});
