import type { Manifest } from '../manifests.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, find, inWords, isOfChart, note, type Part } from './finding.ts';

/** Returns faults and notes about outside access to the gateway. */
export function edgeFindings(programs: Program[], all: Manifest[]): Finding[] {
  const gateway = programs.find(({ name }) => name === 'gateway');
  if (!gateway) return [];
  const edges = all.filter(({ kind }) => kind === 'HTTPRoute' || kind === 'Ingress');
  const fromEdge = find(all, 'NetworkPolicy', 'from-edge', gateway.object.metadata.namespace);
  const { MEDIA_OFFLOAD, TRUSTED_PROXIES = '0' } = gateway.values;
  return [
    ...hostFindings(gateway, edges),
    ...(gateway.values.PUBLIC_BASE_URL?.startsWith('http:') && !isTrial(gateway)
      ? [
          fault(
            'PUBLIC_BASE_URL begins with http://, so links and uploads are not encrypted: set the https:// address.',
          ),
        ]
      : []),
    ...edges.flatMap(listenerFindings),
    ...(edges.length > 0 && TRUSTED_PROXIES === '0'
      ? [fault('TRUSTED_PROXIES is 0, but a proxy is in front: name its addresses, or the number of proxies.')]
      : []),
    ...(fromEdge ? proxyFindings(gateway, fromEdge.spec.ingress ?? []) : []),
    ...(MEDIA_OFFLOAD === 'accel' && edges.some(leadsToGateway)
      ? [
          note(
            'MEDIA_OFFLOAD=accel: the edge leads to the gateway itself; the nginx of deploy/nginx must be in between.',
          ),
        ]
      : []),
    ...sharedCountFindings(gateway, all),
  ];
}

/** Returns whether the settings are for a trial, which anybody may call without TLS. */
const isTrial = ({ values }: Program): boolean =>
  values.ALLOW_HTTP_URLS === 'true' || values.INTERNAL_PLAINTEXT === 'true';

/** Returns the faults of the rules about the peers that may call the gateway. */
function proxyFindings(gateway: Program, rules: Part[]): Finding[] {
  if (rules.length === 0)
    return [
      fault('networks.edge is empty, so nothing may call the gateway: name the pods or addresses of your proxy.'),
    ];
  const ports: Part[] = gateway.container.ports ?? [];
  const http: number = ports.find(({ name }) => name === 'http')?.containerPort ?? 8080;
  const has = ({ port = http, endPort = port, protocol = 'TCP' }: Part) =>
    protocol === 'TCP' && (port === 'http' || (port <= http && endPort >= http));
  const isOpen = rules.some(({ from }) => !from?.length) && !isTrial(gateway);
  return [
    ...(isOpen
      ? [
          fault(
            'networks.edge (policy from-edge) has a rule without peers in from, so everybody may call the gateway: name the pods or addresses of your proxy.',
          ),
        ]
      : []),
    ...(rules.some(({ ports: allowed }) => !allowed?.length || allowed.some(has))
      ? []
      : [
          fault(
            `networks.edge (policy from-edge) does not allow the gateway's port http (${http}): set ports to [{ port: http }], because a policy names the pods' port.`,
          ),
        ]),
  ];
}

const hostsOf = ({ kind, spec }: Manifest): string[] =>
  kind === 'HTTPRoute' ? (spec.hostnames ?? []) : (spec.rules ?? []).flatMap(({ host }: Part) => host ?? []);

const leadsToGateway = ({ spec }: Manifest): boolean => /"name":"gateway"/.test(JSON.stringify(spec.rules ?? []));

function hostFindings({ values }: Program, edges: Manifest[]): Finding[] {
  const address = values.PUBLIC_BASE_URL ?? '';
  const host = URL.canParse(address) ? new URL(address).hostname : undefined;
  const open = edges.filter(edge => hostsOf(edge).length === 0);
  const hosts = edges.flatMap(hostsOf);
  return [
    ...open.map(edge => fault(`${inWords(edge)} serves every host name: add the host of PUBLIC_BASE_URL.`)),
    ...(host && hosts.length > 0 && open.length === 0 && !hosts.some(each => isHost(each, host))
      ? [
          fault(
            `PUBLIC_BASE_URL has the host ${host}, but outside access serves ${hosts.join(', ')}: make them the same.`,
          ),
        ]
      : []),
  ];
}

const isHost = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : pattern === host;

function listenerFindings(edge: Manifest): Finding[] {
  if (edge.kind === 'Ingress')
    return edge.spec.tls ? [] : [note(`${inWords(edge)} has no tls: the controller's own certificate applies.`)];
  return edge.spec.parentRefs.some(({ sectionName }: Part) => sectionName === undefined)
    ? [note(`${inWords(edge)} also attaches to the Gateway's listener without TLS: set sectionName in parentRefs.`)]
    : [];
}

/** Several gateways share their counts of requests only through a Redis. */
function sharedCountFindings({ object, values, given, possible }: Program, all: Manifest[]): Finding[] {
  const scaler = all.find(
    ({ kind, spec }) =>
      ['HorizontalPodAutoscaler', 'ScaledObject'].includes(kind) && spec.scaleTargetRef.name === object.metadata.name,
  );
  const most: number = scaler?.spec.maxReplicas ?? scaler?.spec.maxReplicaCount ?? object.spec.replicas ?? 1;
  if (most < 2) return [];
  const sentence = `each of up to ${most} gateways counts requests alone, so rate limits multiply`;
  if (!values.REDIS_URL && !values.REDIS_URL_FILE && !given.has('REDIS_URL') && !possible.has('REDIS_URL'))
    return [note(`without REDIS_URL, ${sentence}.`)];
  const policy = find(all, 'NetworkPolicy', 'to-redis', object.metadata.namespace);
  if (!policy || policy.spec.egress?.length) return [];
  const [place, remedy] = isOfChart(all)
    ? ['networks.redis is empty', 'set it']
    : ['NetworkPolicy to-redis has no egress', 'patch its egress'];
  const words = `${place}, so no Redis is reachable: ${sentence}`;
  // Other rules report the faults of a Redis with a known address.
  const isConfigured = values.REDIS_CA_FILE || values.REDIS_URL_FILE || given.has('REDIS_URL');
  return [isConfigured && !values.REDIS_URL ? fault(`${words}; ${remedy}.`) : note(`${words}.`)];
}
