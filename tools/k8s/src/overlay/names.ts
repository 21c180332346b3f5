import { type Manifest, podOf } from '../manifests.ts';
import { hasServices } from './environment.ts';
import { type Finding, fault, find, inWords, listed, note, type Part, similar } from './finding.ts';

/** Optional servers of the operator in the namespace. A policy for one of them may match no pod. */
const OPTIONAL_PODS = ['speech', 'collector'];

/** Returns a fault for each reference to an object that does not exist; Secrets have their own rule. */
export const nameFindings = (all: Manifest[]): Finding[] => [
  ...all.flatMap(object => configMapFindings(object, all)),
  ...all.flatMap(object => routeFindings(object, all)),
  ...all.flatMap(object => scaleFindings(object, all)),
  ...all.flatMap(object => policyFindings(object, all)),
  ...all.flatMap(object => claimFindings(object, all)),
];

const namesOf = (all: Manifest[], kind: string): string[] =>
  all.filter(each => each.kind === kind).map(({ metadata }) => metadata.name);

const missing = (by: Manifest, kind: string, name: string, all: Manifest[]): Finding =>
  fault(`${inWords(by)} names the ${kind} ${name}, which is not in the overlay${similar(name, namesOf(all, kind))}.`);

function configMapFindings(object: Manifest, all: Manifest[]): Finding[] {
  const spec = podOf(object)?.spec;
  if (!spec) return [];
  const references: { name?: string; key?: string; optional?: boolean }[] = [
    ...spec.containers.flatMap(({ env = [], envFrom = [] }: Part) => [
      ...env.map(({ valueFrom }: Part) => valueFrom?.configMapKeyRef ?? {}),
      ...envFrom.map(({ configMapRef }: Part) => configMapRef ?? {}),
    ]),
    ...(spec.volumes ?? []).map(({ configMap }: Part) => configMap ?? {}),
  ];
  const wanted = references.filter(({ name, optional }) => name && !optional);
  const seen = Map.groupBy(wanted, ({ name, key }) => `${name} ${key ?? ''}`);
  return [...seen.values()].flatMap(([first]) => {
    const { name, key } = first!;
    const found = find(all, 'ConfigMap', name!, object.metadata.namespace);
    if (!found) return [missing(object, 'ConfigMap', name!, all)];
    return key === undefined || key in (found.data ?? {})
      ? []
      : [fault(`${inWords(object)}: the ConfigMap ${name} has no key ${key}: add it.`)];
  });
}

interface Backend {
  name: string;
  port?: number | string;
}

function backendsOf({ kind, spec }: Manifest): Backend[] {
  if (kind === 'HTTPRoute')
    return (spec.rules ?? [])
      .flatMap((rule: Part) => rule.backendRefs ?? [])
      .filter((backend: Part) => (backend.kind ?? 'Service') === 'Service' && !backend.namespace);
  if (kind !== 'Ingress') return [];
  const paths = (spec.rules ?? []).flatMap((rule: Part) => rule.http?.paths ?? []);
  return [spec.defaultBackend, ...paths.map(({ backend }: Part) => backend)].flatMap(backend =>
    backend?.service
      ? [{ name: backend.service.name, port: backend.service.port?.number ?? backend.service.port?.name }]
      : [],
  );
}

function routeFindings(object: Manifest, all: Manifest[]): Finding[] {
  return backendsOf(object).flatMap(({ name, port }) => {
    const service = find(all, 'Service', name, object.metadata.namespace);
    if (!service) return [missing(object, 'Service', name, all)];
    const ports: { name?: string; port: number }[] = service.spec.ports;
    if (ports.some(each => each.port === port || each.name === port)) return [];
    const known = listed(ports.map(each => String(each.port)));
    return [fault(`${inWords(object)} names port ${port} of the Service ${name}, which has only ${known}.`)];
  });
}

function scaleFindings(object: Manifest, all: Manifest[]): Finding[] {
  const { kind = 'Deployment', name } = object.spec?.scaleTargetRef ?? {};
  if (!name || find(all, kind, name, object.metadata.namespace)) return [];
  return [missing(object, kind, name, all)];
}

interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** Returns whether labels match a selector of Kubernetes; an empty selector matches everything. */
export function matches(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return key in labels;
      if (operator === 'DoesNotExist') return !(key in labels);
      return values.includes(labels[key] ?? '') === (operator === 'In');
    })
  );
}

function policyFindings(object: Manifest, all: Manifest[]): Finding[] {
  if (object.kind !== 'NetworkPolicy') return [];
  const selector: Selector = object.spec.podSelector;
  const pods = all
    .filter(({ metadata }) => metadata.namespace === object.metadata.namespace)
    .flatMap(each => podOf(each) ?? []);
  if (pods.some(({ metadata }) => matches(selector, metadata?.labels ?? {}))) return [];
  const wanted = [
    ...Object.values(selector.matchLabels ?? {}),
    ...(selector.matchExpressions ?? []).flatMap(({ values = [] }) => values),
  ];
  if (wanted.some(name => OPTIONAL_PODS.includes(name)) || !hasServices(all)) return [];
  const names = pods.flatMap(({ metadata }) => Object.values(metadata?.labels ?? {}));
  const near = wanted.map(name => similar(name, names)).find(Boolean) ?? '';
  return [fault(`${inWords(object)}: podSelector matches no pod in the overlay: correct ${listed(wanted)}${near}.`)];
}

/** Operators usually create a claim separately, so that it stays when they delete the overlay. */
function claimFindings(object: Manifest, all: Manifest[]): Finding[] {
  return (podOf(object)?.spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }: Part) => {
    const name = claim?.claimName;
    if (name === undefined || find(all, 'PersistentVolumeClaim', name, object.metadata.namespace)) return [];
    const near = similar(name, namesOf(all, 'PersistentVolumeClaim'));
    return near
      ? [missing(object, 'PersistentVolumeClaim', name, all)]
      : [note(`create the PersistentVolumeClaim ${name} for ${inWords(object)} yourself; without it, its pods wait.`)];
  });
}
