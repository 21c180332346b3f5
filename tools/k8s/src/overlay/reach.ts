import { BlockList, isIP } from 'node:net';
import type { Manifest, PodTemplate } from '../manifests.ts';
import type { Part } from './finding.ts';
import { matches } from './names.ts';

/** The destination of a connection, as far as the overlay shows it. */
export type Destination =
  | { ip: string }
  /** A pod of the overlay. */
  | { pod: PodTemplate; namespace: string | undefined }
  /** Pods that are not in the overlay, in this namespace. */
  | { namespace: string | undefined }
  /**
   * A server whose address only the cluster's DNS knows. In a name of two parts, the second part is probably a
   * namespace.
   */
  | { host: string; namespace?: string | undefined };

/**
 * Returns whether the NetworkPolicies in `all` allow, or may allow, pods with these labels to call a TCP port of `to`.
 * Without a port, any port is enough.
 */
export function mayReach(
  from: { labels: Record<string, string>; namespace: string | undefined },
  to: Destination,
  port: number | undefined,
  all: Manifest[],
): boolean {
  const rules = egressOf(from, all);
  return (
    rules?.some(
      ({ to: peers, ports }: Part) =>
        (!peers || peers.some((peer: Part) => isPeer(peer, to, from.namespace))) &&
        (!ports || port === undefined || ports.some((each: Part) => hasPort(each, port, to))),
    ) ?? true
  );
}

/** Returns the egress rules of the NetworkPolicies that select pods with these labels; undefined if none limits them. */
export function egressOf(from: { labels: Record<string, string>; namespace: string | undefined }, all: Manifest[]) {
  const policies = all.filter(
    ({ kind, metadata, spec }) =>
      kind === 'NetworkPolicy' &&
      metadata.namespace === from.namespace &&
      spec.policyTypes?.includes('Egress') &&
      matches(spec.podSelector, from.labels),
  );
  return policies.length === 0 ? undefined : policies.flatMap(({ spec }): Part[] => spec.egress ?? []);
}

/** Returns the names of the only namespaces that a peer selects; undefined if it selects other places. */
export function namespacesOf({ namespaceSelector }: Part): string[] | undefined {
  const { matchLabels = {}, matchExpressions = [] } = namespaceSelector ?? {};
  const listed = matchExpressions.find(({ key, operator }: Part) => key === NAME && operator === 'In')?.values;
  return matchLabels[NAME] ? [matchLabels[NAME]] : listed;
}

function hasPort({ port, endPort, protocol = 'TCP' }: Part, wanted: number, to: Destination): boolean {
  if (protocol !== 'TCP') return false;
  if (port === undefined) return true;
  if (typeof port === 'number') return wanted >= port && wanted <= (endPort ?? port);
  const ports = 'pod' in to ? to.pod.spec.containers.flatMap((each: Part) => each.ports ?? []) : undefined;
  return ports?.some((each: Part) => each.name === port && each.containerPort === wanted) ?? true;
}

function isPeer({ ipBlock, namespaceSelector, podSelector }: Part, to: Destination, own: string | undefined): boolean {
  if ('ip' in to) return ipBlock !== undefined && isInBlock(ipBlock, to.ip);
  // The name of an external server may lead to a gateway in a namespace, but never to a pod of the product.
  if ('host' in to && (ipBlock || !namespaceSelector || !to.namespace))
    return ipBlock !== undefined || namespaceSelector !== undefined;
  if (ipBlock) return false;
  const isThere = namespaceSelector
    ? matches(knownOnly(namespaceSelector), { [NAME]: to.namespace ?? '' })
    : to.namespace === own;
  return isThere && (!('pod' in to) || matches(podSelector ?? {}, to.pod.metadata?.labels ?? {}));
}

const NAME = 'kubernetes.io/metadata.name';

/** Drops the conditions on labels that only the cluster knows. */
const knownOnly = ({ matchLabels = {}, matchExpressions = [] }: Part): Part => ({
  matchLabels: NAME in matchLabels ? { [NAME]: matchLabels[NAME] } : {},
  matchExpressions: matchExpressions.filter(({ key }: Part) => key === NAME),
});

/** Returns whether an address is in an `ipBlock` of a NetworkPolicy. */
export function isInBlock({ cidr, except = [] }: { cidr: string; except?: string[] }, ip: string): boolean {
  const isIn = (network: string) => {
    const [base = '', bits = ''] = network.split('/');
    const version = isIP(base);
    if (version === 0 || version !== isIP(ip)) return false;
    const list = new BlockList();
    list.addSubnet(base, Number(bits), version === 6 ? 'ipv6' : 'ipv4');
    return list.check(ip, version === 6 ? 'ipv6' : 'ipv4');
  };
  return isIn(cidr) && !except.some(isIn);
}
