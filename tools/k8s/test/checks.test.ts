import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHECKS, checkedFaults } from '../src/checks.ts';
import { faultsOf } from '../src/faults.ts';
import { ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, podOf, render } from '../src/manifests.ts';
import { refusedPods } from '../src/pod-security.ts';
import { LOCAL } from '../src/repository.ts';

const tools = await ensureManifestTools({ env: process.env, log: line => console.error(line) });
const text = await render(tools, LOCAL);

const named = (all: Manifest[], kind: string, name: string): Manifest =>
  all.find(each => each.kind === kind && each.metadata.name === name) ?? assert.fail(`found no ${kind} ${name}`);
const podIn = (all: Manifest[]) => podOf(named(all, 'Deployment', 'projects'))!.spec;
const containerIn = (all: Manifest[]) => podIn(all).containers[0];
const without = (all: Manifest[], kind: string, name: string) => all.splice(all.indexOf(named(all, kind, name)), 1);
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'x', namespace: 'y' } };

/** For each check, a change that makes the check fail. */
const BAD: Record<string, (all: Manifest[]) => unknown> = {
  image: all => Object.assign(containerIn(all), { image: 'registry.example.com:5000/projects' }),
  'read-only-root': all => delete containerIn(all).securityContext.readOnlyRootFilesystem,
  resources: all => delete containerIn(all).resources.limits.memory,
  'ephemeral-storage': all => delete containerIn(all).resources.limits['ephemeral-storage'],
  'termination-message': all => delete containerIn(all).terminationMessagePolicy,
  probes: all => delete containerIn(all).livenessProbe,
  'probe-port': all => Object.assign(containerIn(all).readinessProbe.grpc, { port: 50_059 }),
  'variable-twice': all => containerIn(all).env.push({ name: 'OTEL_SERVICE_NAME', value: 'again' }),
  'secret-in-plain': all => containerIn(all).env.push({ name: 'KAFKA_PASSWORD', value: 'published' }),
  token: all => delete podIn(all).automountServiceAccountToken,
  account: all => Object.assign(podIn(all), { serviceAccountName: 'project' }),
  isolated: all => without(all, 'NetworkPolicy', 'default-deny'),
  mounts: all => containerIn(all).volumeMounts.push({ name: 'data', mountPath: '/data' }),
  selector: all => Object.assign(named(all, 'Deployment', 'projects').spec.selector.matchLabels, { tier: 'api' }),
  rollout: all => Object.assign(named(all, 'Deployment', 'projects').spec, { strategy: { type: 'Recreate' } }),
  spread: all => delete podIn(all).topologySpreadConstraints,
  budget: all => without(all, 'PodDisruptionBudget', 'projects'),
  ends: all => delete named(all, 'Job', 'migrate').spec.activeDeadlineSeconds,
  inside: all => Object.assign(named(all, 'Service', 'gateway').spec, { type: 'NodePort' }),
  'leads-somewhere': all => Object.assign(named(all, 'Service', 'gateway').spec.ports[0], { targetPort: 'https' }),
  namespace: all => delete named(all, 'Deployment', 'projects').metadata.namespace,
  rights: all => all.push(ROLE),
};

test('has a bad object for each check', () => {
  assert.deepEqual(Object.keys(BAD).sort(), CHECKS.map(({ name }) => name).sort());
});

for (const [name, spoil] of Object.entries(BAD))
  test(`finds a bad object: ${name}`, () => {
    const all = parse(text);
    spoil(all);
    const found = checkedFaults(all);
    assert.ok(
      found.some(line => line.endsWith(`(${name})`)),
      `found: ${found.join('; ')}`,
    );
  });

/** The violations of the standard `restricted` of Kubernetes 1.30. */
const REFUSED: [what: string, spoil: (all: Manifest[]) => unknown, told: RegExp][] = [
  ['root', all => Object.assign(podIn(all).securityContext, { runAsUser: 0 }), /runAsUser=0/],
  ['a capability', all => Object.assign(containerIn(all).securityContext, { capabilities: {} }), /capabilities/],
  ['no seccomp profile', all => delete podIn(all).securityContext.seccompProfile, /seccompProfile/],
  ['the network of the node', all => Object.assign(podIn(all), { hostNetwork: true }), /host namespaces/],
  ['a folder of the node', all => podIn(all).volumes.push({ name: 'x', hostPath: { path: '/' } }), /hostPath/],
];

for (const [what, spoil, told] of REFUSED)
  test(`a pod with ${what} violates the restricted standard`, async () => {
    const all = parse(text);
    spoil(all);
    const [refused, ...others] = await refusedPods(tools.podSecurity, all);
    assert.match(refused ?? 'nothing', told);
    assert.match(refused!, /^Deployment projects: /);
    assert.deepEqual(others, []);
  });

test('applies the standard and the checks to objects that the schemas allow', async () => {
  const spoilt = text.replaceAll('readOnlyRootFilesystem: true', '').replaceAll('runAsNonRoot: true', '');
  assert.match(await faultsOf(tools, spoilt), /runAsNonRoot.*\(read-only-root\)/s);
});
