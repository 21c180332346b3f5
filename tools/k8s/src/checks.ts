import { type Manifest, type PodTemplate, podOf } from './manifests.ts';

/** A rule for objects that the schemas cannot express. */
interface Check {
  /** The name in messages: kebab-case. */
  name: string;
  /** Returns the fault of an object, or undefined if it has none. `all` are the objects that are rendered with it. */
  fault(object: Manifest, all: Manifest[]): string | undefined;
}

type Labels = Record<string, string>;
interface Named {
  name: string;
  value?: string;
}
interface Port {
  name?: string;
  containerPort: number;
}
// biome-ignore lint/suspicious/noExplicitAny: a container; its schema is valid.
type Container = any;

/** Makes a check of the pods that an object creates. */
const ofPods = (name: string, fault: (pod: PodTemplate, object: Manifest) => string | undefined): Check => ({
  name,
  fault(object) {
    const pod = podOf(object);
    return pod && fault(pod, object);
  },
});

/** Makes a check of each container. The result names the container. */
const ofContainers = (name: string, fault: (container: Container, object: Manifest) => string | undefined): Check =>
  ofPods(name, ({ spec }, object) => {
    const all: Container[] = [...(spec.initContainers ?? []), ...spec.containers];
    const found = all.map(each => [each.name, fault(each, object)]).find(([, fault]) => fault);
    return found && `container ${found[0]} ${found[1]}`;
  });

const ofKind = (kind: string, name: string, fault: Check['fault']): Check => ({
  name,
  fault: (object, all) => (object.kind === kind ? fault(object, all) : undefined),
});

/** Returns whether labels match a selector; an empty selector matches everything. */
const selects = (wanted: Labels = {}, labels: Labels = {}): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);

/** Returns the pods that a selector finds in its object's namespace. */
const podsOf = ({ metadata }: Manifest, wanted: Labels, all: Manifest[]): PodTemplate[] =>
  all
    .filter(other => other.metadata.namespace === metadata.namespace)
    .flatMap(other => podOf(other) ?? [])
    .filter(pod => selects(wanted, pod.metadata?.labels));

const hasPort = (container: Container, wanted: string | number): boolean =>
  (container.ports ?? []).some(({ name, containerPort }: Port) => name === wanted || containerPort === wanted);

const OF_CLUSTERS = new Set(['Namespace', 'StorageClass']);
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];

const CONTAINERS: Check[] = [
  ofContainers('image', ({ image }) =>
    /@sha256:|:(?!latest$)[^/:]+$/.test(image)
      ? undefined
      : `has the image ${image}, whose content can change: pin a tag or a digest`,
  ),
  ofContainers('read-only-root', ({ securityContext }, { kind }) =>
    // Exempts stores: in the trial overlay, they use their vendors' images, which also write outside their data folder.
    kind === 'StatefulSet' || securityContext?.readOnlyRootFilesystem
      ? undefined
      : 'can write to its image: set readOnlyRootFilesystem',
  ),
  // Requires no CPU limit, because it would slow a container down even while processors are idle.
  ofContainers('resources', ({ resources: { requests, limits } = {} }) =>
    requests?.cpu && requests.memory && limits?.memory
      ? undefined
      : 'needs requests of cpu and memory, and a limit of memory',
  ),
  ofContainers('ephemeral-storage', ({ resources }, { kind }) =>
    // Exempts stores, because they write to their volumes.
    kind === 'StatefulSet' || resources?.limits?.['ephemeral-storage']
      ? undefined
      : 'could fill its node: set a limit of ephemeral-storage',
  ),
  ofContainers('termination-message', ({ terminationMessagePolicy }) =>
    terminationMessagePolicy === 'FallbackToLogsOnError'
      ? undefined
      : 'needs terminationMessagePolicy: FallbackToLogsOnError',
  ),
  ofContainers('probes', (container, { kind }) => {
    // Requires no liveness probe of stores, because it would restart a slow store and make it slower.
    const wanted = { Deployment: PROBES.slice(1), StatefulSet: ['readinessProbe'] }[kind] ?? [];
    const missing = wanted.find(probe => !container[probe]);
    return missing && `has no ${missing}`;
  }),
  ofContainers('probe-port', container => {
    const ports = PROBES.flatMap(probe =>
      ['grpc', 'httpGet', 'tcpSocket'].flatMap(way => container[probe]?.[way]?.port ?? []),
    );
    const missing = ports.find(port => !hasPort(container, port));
    return missing && `has a probe at ${missing}, a port that it does not have`;
  }),
  ofContainers('variable-twice', ({ env = [] }) => {
    const names: string[] = env.map(({ name }: Named) => name);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    return twice && `has ${twice} twice`;
  }),
  ofContainers('secret-in-plain', ({ env = [] }) => {
    const found = env.find(({ name, value }: Named) => value && /(PASSWORD|SECRET|TOKEN|_KEY)S?$/.test(name));
    return found && `has ${found.name} as a plain value`;
  }),
];

const PODS: Check[] = [
  ofPods('token', ({ spec }) =>
    spec.automountServiceAccountToken === false ? undefined : 'mounts a Kubernetes token, which no process needs',
  ),
  {
    name: 'account',
    fault(object, all) {
      const account = podOf(object)?.spec.serviceAccountName;
      const isIt = ({ kind, metadata }: Manifest) =>
        kind === 'ServiceAccount' && metadata.name === account && metadata.namespace === object.metadata.namespace;
      return account === undefined || all.some(isIt) ? undefined : `there is no ServiceAccount ${account}`;
    },
  },
  {
    name: 'isolated',
    fault(object, all) {
      const pod = podOf(object);
      if (!pod) return undefined;
      const policies = all.filter(
        ({ kind, metadata, spec }) =>
          kind === 'NetworkPolicy' &&
          metadata.namespace === object.metadata.namespace &&
          !spec.podSelector.matchExpressions &&
          selects(spec.podSelector.matchLabels, pod.metadata?.labels),
      );
      const open = ['Ingress', 'Egress'].find(type => !policies.some(({ spec }) => spec.policyTypes?.includes(type)));
      return open && `no NetworkPolicy limits its ${open.toLowerCase()}`;
    },
  },
  ofPods('mounts', ({ spec }, object) => {
    const claims: Manifest[] = object.spec.volumeClaimTemplates ?? [];
    const volumes: Named[] = [...(spec.volumes ?? []), ...claims.map(({ metadata }) => metadata)];
    const mounts: Named[] = spec.containers.flatMap(({ volumeMounts = [] }: Container) => volumeMounts);
    const missing = mounts.find(({ name }) => !volumes.some(volume => volume.name === name));
    return missing && `there is no volume ${missing.name}`;
  }),
];

const OBJECTS: Check[] = [
  ofKind('Deployment', 'selector', ({ spec }) =>
    selects(spec.selector.matchLabels, spec.template.metadata.labels) ? undefined : 'does not select its own pods',
  ),
  ofKind('Deployment', 'rollout', ({ spec: { strategy } }) =>
    strategy?.rollingUpdate?.maxUnavailable === 0
      ? undefined
      : 'stops pods before new ones are ready: set maxUnavailable to 0',
  ),
  ofKind('Deployment', 'spread', ({ spec: { template } }) =>
    template.spec.topologySpreadConstraints?.length > 0
      ? undefined
      : 'may run all its pods on one node: set topologySpreadConstraints',
  ),
  ofKind('Deployment', 'budget', ({ metadata, spec: { template } }, all) => {
    const budgets = all.filter(
      ({ kind, metadata: own, spec }) =>
        kind === 'PodDisruptionBudget' &&
        own.namespace === metadata.namespace &&
        selects(spec.selector.matchLabels, template.metadata.labels),
    );
    // Permits only `maxUnavailable`. With `minAvailable`, a node with the last pods could never be drained.
    const lets = ({ spec }: Manifest) => spec.maxUnavailable === 1 && spec.unhealthyPodEvictionPolicy === 'AlwaysAllow';
    return budgets.length === 1 && budgets.every(lets)
      ? undefined
      : 'needs one PodDisruptionBudget with maxUnavailable: 1';
  }),
  ofKind('Job', 'ends', ({ spec }) => (spec.activeDeadlineSeconds ? undefined : 'needs activeDeadlineSeconds')),
  ofKind('Service', 'inside', ({ spec }) =>
    (spec.type ?? 'ClusterIP') === 'ClusterIP' ? undefined : `is a ${spec.type}, which bypasses the ingress`,
  ),
  ofKind('Service', 'leads-somewhere', (object, all) => {
    const { selector, ports } = object.spec;
    const pods = podsOf(object, selector, all);
    if (pods.length === 0) return 'selects no pod';
    const missing = (ports as { port: number; targetPort?: string | number }[])
      .map(({ port, targetPort = port }) => targetPort)
      .find(port => !pods.every(({ spec }) => spec.containers.some((each: Container) => hasPort(each, port))));
    return missing === undefined ? undefined : `targets the port ${missing}, which its pods do not have`;
  }),
  {
    name: 'namespace',
    fault: ({ kind, metadata }) => (metadata.namespace || OF_CLUSTERS.has(kind) ? undefined : 'needs a namespace'),
  },
  // The product does not use the Kubernetes API, so no object may grant rights to it.
  {
    name: 'rights',
    fault: ({ apiVersion }) =>
      apiVersion.startsWith('rbac.') ? 'grants Kubernetes rights, which no process needs' : undefined,
  },
];

export const CHECKS: readonly Check[] = [...CONTAINERS, ...PODS, ...OBJECTS];

/** Returns the faults that the checks find in objects that are rendered together; empty when there are none. */
export const checkedFaults = (all: Manifest[]): string[] =>
  all.flatMap(object =>
    CHECKS.flatMap(({ name, fault }) => {
      const found = fault(object, all);
      return found ? [`${object.kind} ${object.metadata.name}: ${found} (${name})`] : [];
    }),
  );
