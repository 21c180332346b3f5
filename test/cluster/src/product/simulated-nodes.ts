import type { Kubectl } from '@recording-request/k8s/lab/kubectl';

export const ZONES = ['a', 'b', 'c'] as const;
export type Zone = (typeof ZONES)[number];

/**
 * The key of a taint and of a label. The taint keeps other pods off these nodes; the label selects these nodes for the
 * tested pods.
 */
const MARK = 'recording-request.test/simulated';
export const placement = {
  nodeSelector: { [MARK]: 'true' },
  tolerations: [{ key: MARK, operator: 'Exists', effect: 'NoSchedule' }],
};

const NODES_PER_ZONE = 2;
const LEASES = 'kube-node-lease';
/** Less than the 50 s after which Kubernetes treats a silent node as lost. */
const RENEW_MS = 10_000;

/** Nodes that exist only in the API server: pods are bound to them, but no kubelet runs the pods. */
export interface SimulatedNodes extends AsyncDisposable {
  zoneOf(node: string): Zone;
  /** Removes all nodes of a zone at once. */
  lose(zone: Zone): Promise<void>;
}

/** Creates two nodes in each zone, of the size in deploy/k8s/README.md, and keeps them alive until disposal. */
export async function simulateNodes(kubectl: Kubectl): Promise<SimulatedNodes> {
  const zones = new Map<string, Zone>();
  for (const zone of ZONES) for (let at = 1; at <= NODES_PER_ZONE; at++) zones.set(`simulated-${zone}${at}`, zone);
  const renew = () => kubectl.apply([...zones.keys()].map(leaseOf));
  const remove = async (names: string[]) => {
    for (const name of names) zones.delete(name);
    await kubectl.run(['delete', 'node', ...names, '--ignore-not-found']);
    await kubectl.run(['--namespace', LEASES, 'delete', 'lease', ...names, '--ignore-not-found']);
  };
  const known = new Map(zones);
  await kubectl.apply([...zones].map(([name, zone]) => nodeOf(name, zone)));
  await renew();
  let renewing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // Ignores a failed renewal, because the next one follows soon. If Kubernetes treats a node as lost, the case
    // reports it.
    renewing = renew().catch(() => {});
  }, RENEW_MS);
  return {
    zoneOf: node => known.get(node) ?? fail(`${node} is not a simulated node`),
    async lose(zone) {
      await renewing;
      await remove([...zones].filter(([, each]) => each === zone).map(([name]) => name));
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await renewing;
      await remove([...known.keys()]);
    },
  };
}

function nodeOf(name: string, zone: Zone) {
  const now = new Date().toISOString();
  const size = { cpu: '4', memory: '16Gi', 'ephemeral-storage': '100Gi', pods: '110' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'topology.kubernetes.io/zone': zone,
        [MARK]: 'true',
      },
    },
    spec: { taints: [{ key: MARK, value: 'true', effect: 'NoSchedule' }] },
    status: {
      capacity: size,
      allocatable: size,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Simulated',
          message: 'no kubelet runs here',
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        },
      ],
    },
  };
}

const leaseOf = (name: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: LEASES },
  // Kubernetes uses microseconds in this field.
  spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: new Date().toISOString().replace('Z', '000Z') },
});

function fail(sentence: string): never {
  throw new Error(sentence);
}
