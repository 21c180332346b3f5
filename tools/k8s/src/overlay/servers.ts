import { type Manifest, podOf } from '../manifests.ts';
import { variablesRead } from './configuration.ts';
import { destinationOf } from './destinations.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, inWords, isOfChart, listed, note, type Part, similar } from './finding.ts';
import { mayReach } from './reach.ts';

export interface Server {
  host: string;
  port: number;
}

/** The settings with addresses of servers, and the entry of `networks` that must allow each. */
const SETTINGS: ReadonlyArray<[pattern: RegExp, network: string]> = [
  [/^KAFKA_BROKERS$|^KAFKA_OAUTH_TOKEN_URL$/, 'kafka'],
  [/^S3_ENDPOINT$/, 'objects'],
  [/^BACKUP_S3_ENDPOINT$/, 'backup'],
  [/^SPEECH_BASE_URL$/, 'speech'],
  [/^MONGO_URL$/, 'mongo'],
  [/^REDIS_URL$/, 'redis'],
  [/^OTEL_EXPORTER_OTLP_(?:\w+_)?ENDPOINT$/, 'telemetry'],
];
const NAME_LABEL = 'app.kubernetes.io/name';
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'redis:': 6379, 'rediss:': 6379 };

/** Returns the servers in a setting's value; none for a value without ports, such as a mongodb+srv address. */
export function serversIn(value: string): Server[] {
  const mongo = /^mongodb:\/\/(?:[^@/]*@)?([^/?]+)/.exec(value)?.[1];
  if (mongo || !value.includes('://'))
    return (mongo ?? value).split(',').flatMap(each => hostAndPort(each.trim(), mongo));
  if (!URL.canParse(value)) return [];
  const { protocol, hostname, port } = new URL(value);
  const number = Number(port) || PORTS[protocol];
  return number ? [{ host: hostname.replace(/^\[|\]$/g, ''), port: number }] : [];
}

function hostAndPort(text: string, mongo: string | undefined): Server[] {
  const [, host, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text) ?? [];
  const number = Number(port) || (mongo ? 27_017 : 0);
  return host && number ? [{ host: host.replace(/^\[|\]$/g, ''), port: number }] : [];
}

/** Returns whether a program uses a setting that its own configuration does not name. */
function usesToo(name: string, variable: string): boolean {
  // The gateway reads the store through presigned addresses.
  if (name === 'gateway') return variable === 'S3_ENDPOINT' || variable.startsWith('OTEL_');
  // Migrations and backups send no telemetry.
  return variable.startsWith('OTEL_') && !['migrate', 'backup'].includes(name);
}

/** Returns a fault for each address of one of our services that does not name a Service of the overlay. */
export function addressFindings(programs: Program[], all: Manifest[]): Finding[] {
  const sentences = programs.flatMap(({ object, values }) =>
    Object.entries(values)
      .filter(([name]) => /^[A-Z]+_(?:GRPC|OPERATOR)$|^SUBMISSIONS_HTTP$/.test(name))
      .flatMap(([name, value]) => {
        const [, host, port] = /^[a-z]+:\/{2,3}([^/:.]+)[^/:]*:(\d+)$/.exec(value) ?? [];
        const services = all.filter(
          ({ kind, metadata }) => kind === 'Service' && metadata.namespace === object.metadata.namespace,
        );
        const service = services.find(({ metadata }) => metadata.name === host);
        if (!host || service?.spec.ports.some((each: Part) => each.port === Number(port))) return [];
        const near = similar(
          host,
          services.map(({ metadata }) => metadata.name),
        );
        return [`${name}=${value}: there is no Service ${host} with the port ${port}${near}.`];
      }),
  );
  return [...new Set(sentences)].map(fault);
}

interface Refusal {
  variable: string;
  network: string;
  server: Server;
  /** The program that cannot reach the server. */
  name: string;
  /** Words for the reason why the server may still be reachable. */
  unless: string | undefined;
}

/**
 * Returns a fault for each setting with servers that a program uses but, because of the network policies, cannot reach.
 */
export async function reachFindings(programs: Program[], all: Manifest[]): Promise<Finding[]> {
  const isChart = isOfChart(all);
  const refusals: Refusal[] = [];
  for (const { name, object, values } of programs) {
    const read = await variablesRead(name);
    for (const [variable, value] of Object.entries(values)) {
      const network = SETTINGS.find(([pattern]) => pattern.test(variable))?.[1];
      if (!network || !value || !(read.has(variable) || usesToo(name, variable))) continue;
      for (const server of serversIn(value)) {
        const refused = refusedBy(server, object, all);
        if (refused) refusals.push({ variable, network, server, name, ...refused });
      }
    }
  }
  const sentences = Map.groupBy(refusals, ({ variable, unless }) => `${variable} ${unless ?? ''}`);
  return [...sentences.values()].map(each => findingOf(each, isChart));
}

/** The networks that the chart has and the production overlay's installation.yaml does not. */
const ONLY_IN_CHART = ['telemetry', 'redis', 'backup'];

const remedyFor = (network: string, isChart: boolean): string =>
  ONLY_IN_CHART.includes(network) && !isChart
    ? `patch the egress of the NetworkPolicy to-${network}`
    : `allow it in networks.${network} (policy to-${network})`;

function findingOf(refusals: Refusal[], isChart: boolean): Finding {
  const [{ variable, network, unless }] = refusals as [Refusal];
  const names = listed([...new Set(refusals.map(({ name }) => name))]);
  const servers = listed([...new Set(refusals.map(({ server: { host, port } }) => `${host}:${port}`))]);
  const sentence = `${variable}: the network policies do not let ${names} reach ${servers}: ${remedyFor(network, isChart)}`;
  return unless ? note(`${sentence}, unless ${unless}.`) : fault(`${sentence}.`);
}

/** Returns the refusal if the network policies keep a pod from a server; undefined if they allow the connection. */
function refusedBy(server: Server, object: Manifest, all: Manifest[]): Pick<Refusal, 'unless'> | undefined {
  const labels = podOf(object)!.metadata?.labels ?? {};
  const from = { labels, namespace: object.metadata.namespace };
  const { to, port } = destinationOf(server, from.namespace, all);
  if (mayReach(from, to, port, all)) return undefined;
  if ('host' in to && to.namespace && mayReach(from, { host: to.host }, port, all))
    return { unless: `${to.host} is no Service in the namespace ${to.namespace}` };
  const other = all.find(each => mayAllow(each, labels, port));
  if (other) return { unless: `${inWords(other)} does` };
  // A policy names the pods' port, which may differ from the port of a Service outside the overlay.
  const isUnknown = !('ip' in to || 'pod' in to || 'host' in to);
  return { unless: isUnknown && mayReach(from, to, undefined, all) ? 'its pods have another port' : undefined };
}

/** Returns whether an object is a policy of a network plugin, such as Cilium, that may let pods with these labels call a port. */
function mayAllow({ apiVersion, kind, spec }: Manifest, labels: Record<string, string>, port: number): boolean {
  if (!kind.endsWith('NetworkPolicy') || apiVersion.includes('k8s.io')) return false;
  const text = JSON.stringify(spec ?? {});
  const isSelected = !text.includes(NAME_LABEL) || text.includes(`"${labels[NAME_LABEL]}"`);
  return isSelected && (!text.includes('"port":') || new RegExp(`"port":"?${port}\\b`).test(text));
}
