import type { Kubectl } from '@recording-request/k8s/lab/kubectl';
import type { Manifest } from '@recording-request/k8s/manifests';
import { until } from '@recording-request/testing/wait';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { placement, type SimulatedNodes, simulateNodes, ZONES, type Zone } from '../product/simulated-nodes.ts';

const NAMESPACE = 'zones';
const MORE = 5;
const BOUND = { limitMs: 60_000, everyMs: 500 };
const GONE = { limitMs: 120_000, everyMs: 1_000 };
/** Kubernetes treats a node as lost after 40 s. Then it deletes the node's pods and creates others. */
const REPLACED = { limitMs: 180_000, everyMs: 1_000 };

const SCALERS = new Set(['HorizontalPodAutoscaler', 'ScaledObject']);

/** A scheduled pod of a service. */
interface Bound {
  service: string;
  zone: Zone;
  node: string;
}

/** Returns the Deployments of production, limited to the simulated nodes, and the minimum number of pods of each. */
function deploymentsOf(production: Manifest[]): { deployments: Manifest[]; least: Map<string, number> } {
  const least = new Map<string, number>();
  const deployments = production
    .filter(({ kind }) => kind === 'Deployment')
    .map(deployment => {
      const { name } = deployment.metadata;
      const scaler = production.find(({ kind, metadata }) => SCALERS.has(kind) && metadata.name === name)?.spec;
      const replicas: number = deployment.spec.replicas ?? scaler.minReplicas ?? scaler.minReplicaCount;
      least.set(name, replicas);
      const { template } = deployment.spec;
      const spec = { ...template.spec, ...placement };
      return {
        ...deployment,
        metadata: { ...deployment.metadata, namespace: NAMESPACE },
        spec: { ...deployment.spec, replicas, template: { ...template, spec } },
      };
    });
  return { deployments, least };
}

async function boundPods(kubectl: Kubectl, nodes: SimulatedNodes): Promise<Bound[]> {
  const { items } = await kubectl.json(['--namespace', NAMESPACE, 'get', 'pods']);
  return items
    .filter(
      ({ spec, metadata }: Manifest & { spec: { nodeName?: string } }) => spec.nodeName && !metadata.deletionTimestamp,
    )
    .map(({ spec, metadata }: Manifest) => ({
      service: metadata.labels!['app.kubernetes.io/name']!,
      zone: nodes.zoneOf(spec.nodeName),
      node: spec.nodeName,
    }));
}

/** Waits until each service has `wanted` pods with a node, none of them in `lost`. */
async function bound(
  kubectl: Kubectl,
  nodes: SimulatedNodes,
  { wanted, lost, limits }: { wanted: Map<string, number>; lost?: Zone; limits: typeof BOUND },
): Promise<Bound[]> {
  return await until(
    'each pod has a node',
    async () => {
      const pods = (await boundPods(kubectl, nodes)).filter(({ zone }) => zone !== lost);
      const isThere = [...wanted].every(
        ([name, count]) => pods.filter(({ service }) => service === name).length === count,
      );
      return isThere ? pods : undefined;
    },
    limits,
  );
}

/**
 * Checks that the numbers of a service's pods in two zones differ by at most one, and that each service keeps a pod when any
 * zone is lost.
 */
function judgeSpread({ violated }: ClusterHarness, pods: Bound[], zones: readonly Zone[]): string {
  const services = [...new Set(pods.map(({ service }) => service))].sort();
  const words = services.map(service => {
    const own = pods.filter(each => each.service === service);
    const counts = zones.map(zone => own.filter(each => each.zone === zone).length);
    if (Math.max(...counts) - Math.min(...counts) > 1)
      violated(`${own.length} pods of ${service} are not spread: ${counts.join(', ')} by zone`);
    if (zones.length > 1 && counts.some(count => count === own.length))
      violated(`all pods of ${service} are in one zone`);
    return `${service} ${counts.join('+')}`;
  });
  return words.join(', ');
}

/**
 * Deletes the pods directly, because no kubelet ends them here. Kubernetes creates no objects in a terminating
 * namespace.
 */
async function removeNamespace(kubectl: Kubectl): Promise<void> {
  await kubectl.run(['delete', 'namespace', NAMESPACE, '--wait=false', '--ignore-not-found']);
  const isGone = async () => {
    await kubectl.run(['--namespace', NAMESPACE, 'delete', 'pods', '--all', '--force', '--grace-period=0']);
    return (await kubectl.run(['get', 'namespace', NAMESPACE, '--ignore-not-found'])) === '';
  };
  await until('the namespace is gone', isGone, GONE);
}

export const zones: ClusterCase = {
  name: 'zones',
  promise:
    'six simulated nodes in three zones each run their share of every production service; after the loss of a zone, each service has a pod, and the other zones replace the lost pods',
  async run(harness, { random }) {
    const { product, production, noted } = harness;
    const { kubectl } = product;
    const { deployments, least } = deploymentsOf(production);
    await using nodes = await simulateNodes(kubectl);
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(() => removeNamespace(kubectl));
    await kubectl.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }]);
    const accounts = production.filter(({ kind }) => kind === 'ServiceAccount');
    await kubectl.apply([
      ...accounts.map(each => ({ ...each, metadata: { ...each.metadata, namespace: NAMESPACE } })),
      ...deployments,
    ]);
    const few = await bound(kubectl, nodes, { wanted: least, limits: BOUND });
    noted(`as installed, by zone: ${judgeSpread(harness, few, ZONES)}`);

    const names = [...least.keys()];
    const many = new Map(names.map(name => [name, MORE]));
    const scale = ['scale', ...names.map(name => `deployment/${name}`), `--replicas=${MORE}`];
    await kubectl.run(['--namespace', NAMESPACE, ...scale]);
    const more = await bound(kubectl, nodes, { wanted: many, limits: BOUND });
    noted(`with ${MORE} each: ${judgeSpread(harness, more, ZONES)}`);

    const lost = random.pick(ZONES);
    const began = Date.now();
    await nodes.lose(lost);
    const after = await bound(kubectl, nodes, { wanted: many, lost, limits: REPLACED });
    const left = ZONES.filter(zone => zone !== lost);
    noted(
      `${Math.round((Date.now() - began) / 1000)} s after zone ${lost} was lost, all are in the others: ${judgeSpread(harness, after, left)}`,
    );
  },
};
