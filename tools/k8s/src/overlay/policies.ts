import { isIP } from 'node:net';
import { type Manifest, podOf } from '../manifests.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, inWords, listed, note, type Part, similar } from './finding.ts';
import { egressOf, namespacesOf } from './reach.ts';

/** Returns a fault for each port and address of a NetworkPolicy that the API server refuses; its schema allows any text. */
export const policyFindings = (all: Manifest[]): Finding[] =>
  all
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .flatMap(policy => {
      const rules: Part[] = [...(policy.spec.egress ?? []), ...(policy.spec.ingress ?? [])];
      const ports = rules.flatMap(({ ports: some = [] }) => some ?? []).map(({ port }: Part) => port);
      const blocks = rules
        .flatMap(({ to, from }) => [...(to ?? []), ...(from ?? [])])
        .map(({ ipBlock }: Part) => ipBlock);
      const networks: string[] = blocks.filter(Boolean).flatMap(({ cidr, except = [] }: Part) => [cidr, ...except]);
      return [
        ...ports
          .filter(port => typeof port === 'string' && /^\d+$/.test(port))
          .map(port => fault(`${inWords(policy)}: the port "${port}" is a text: write ${port} without quotes.`)),
        ...networks
          .filter(network => !isNetwork(network))
          .map(network =>
            fault(`${inWords(policy)}: ${network} is no network: write it with its length, such as 10.1.0.0/24.`),
          ),
      ];
    });

function isNetwork(text: string): boolean {
  const [base = '', length = '', ...more] = text.split('/');
  const version = isIP(base);
  return version !== 0 && /^\d+$/.test(length) && Number(length) <= (version === 6 ? 128 : 32) && more.length === 0;
}

/** The namespaces of DNS in most clusters and in OpenShift. */
const DNS_NAMESPACES = ['kube-system', 'openshift-dns'];
const DNS_PORTS = [53, 5353];
/** The DNS cache of a node. It queries the cluster's DNS. Many clusters have no such cache. */
const NODE_CACHE = '169.254.20.10/32';
const RULE = 'networks.dns (policy dns)';

/**
 * Returns a fault if network policies keep programs from DNS, or a note if they allow DNS only in unusual namespaces.
 */
export function dnsFindings(programs: Program[], all: Manifest[]): Finding[] {
  // Network plugins, such as Cilium, have policies of their own. These may allow DNS, and this check cannot read them.
  if (all.some(({ apiVersion, kind }) => kind.endsWith('NetworkPolicy') && !apiVersion.includes('k8s.io'))) return [];
  const places = programs.map(({ name, object }) => ({ name, peers: dnsPeers(object, all) }));
  const without = places.filter(({ peers }) => peers?.length === 0).map(({ name }) => name);
  if (without.length > 0)
    return [
      fault(
        `The network policies do not let ${listed([...new Set(without)])} reach DNS by UDP: allow it in ${RULE}, with the port 53 (OpenShift: 5353).`,
      ),
    ];
  const unusual = new Set(places.flatMap(({ peers }) => unusualNamespaces(peers)));
  return [...unusual].map(namespace => {
    const known = DNS_NAMESPACES.find(each => similar(namespace, [each]));
    return known
      ? fault(`${RULE} names the namespace ${namespace}: correct it to ${known}.`)
      : note(
          `${RULE} allows DNS only in the namespace ${namespace}; in most clusters it is kube-system (OpenShift: openshift-dns).`,
        );
  });
}

/** Returns the peers where policies allow DNS by UDP for an object's pods; undefined if they allow it everywhere. */
function dnsPeers(object: Manifest, all: Manifest[]): Part[] | undefined {
  const rules = egressOf({ labels: podOf(object)?.metadata?.labels ?? {}, namespace: object.metadata.namespace }, all);
  const allowing = rules?.filter(
    ({ ports }) =>
      !ports ||
      ports.some(
        ({ port, endPort = port, protocol = 'TCP' }: Part) =>
          protocol === 'UDP' && (port === undefined || DNS_PORTS.some(each => each >= port && each <= endPort)),
      ),
  );
  return allowing?.some(({ to }) => !to) ? undefined : allowing?.flatMap(({ to }) => to);
}

/** Returns the namespaces of the peers if all peers are namespaces and none of these is a usual one for DNS. */
function unusualNamespaces(peers: Part[] = []): string[] {
  const names = peers.filter(({ ipBlock }) => ipBlock?.cidr !== NODE_CACHE).map(namespacesOf);
  const known = names.flatMap(each => each ?? []);
  return names.includes(undefined) || known.some(name => DNS_NAMESPACES.includes(name)) ? [] : known;
}
