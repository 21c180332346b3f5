import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKS, OWN_CHECKS } from '@recording-request/kit/telemetry/checks';
import { clusterAttributes } from '@recording-request/kit/telemetry/settings';
import { readCompose } from '../src/compose.ts';
import { ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, podOf, render } from '../src/manifests.ts';
import { BASE, LOCAL, ROOT, readEnvFile, serviceNames } from '../src/repository.ts';

interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: { fieldRef?: { fieldPath: string }; secretKeyRef?: object };
}

const tools = await ensureManifestTools({ env: process.env, log: line => console.error(line) });
const deployments = parse(await render(tools, BASE)).filter(({ kind }) => kind === 'Deployment');
const containerOf = (deployment: Manifest) => podOf(deployment)!.spec.containers[0] as { name: string; env: EnvVar[] };

test('with Compose, every variable of telemetry reaches every service', async () => {
  // Each service has a name of its own.
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

test('in Kubernetes, headers for the collector of all signals, or of one, come from the Secret that has them', async () => {
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

test('in Kubernetes, each service says of which pod its telemetry is, by every variable that is read for that', () => {
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
