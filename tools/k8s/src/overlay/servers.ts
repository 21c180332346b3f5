import { isIP } from 'node:net';
import { type Manifest, podOf } from '../manifests.ts';
import { variablesRead } from './configuration.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, find, inWords, listed, note, type Part, similar } from './finding.ts';
import { matches } from './names.ts';
import { type Destination, mayReach } from './reach.ts';

export interface Server {
  host: string;
  port: number;
}

/** The settings with addresses of servers, and the entry of `networks` that must allow each. */
const SETTINGS: ReadonlyArray<[pattern: RegExp, network: string]> = [
  [/^KAFKA_BROKERS$|^KAFKA_OAUTH_TOKEN_URL$/, 'kafka'],
  [/^S3_ENDPOINT$/, 'objects'],
  [/^SPEECH_BASE_URL$/, 'speech'],
  [/^MONGO_URL$/, 'mongo'],
  [/^REDIS_URL$/, 'redis'],
  [/^OTEL_EXPORTER_OTLP_(?:\w+_)?ENDPOINT$/, 'telemetry'],
];
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'redis:': 6379, 'rediss:': 6379 };

/** Returns the servers in a setting's value; none of a value that names no port, such as a mongodb+srv address. */
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

/** The settings that a program uses although its own configuration does not name them. */
function usesToo(name: string, variable: string): boolean {
  // The gateway sends the bytes behind presigned addresses.
  if (name === 'gateway') return variable === 'S3_ENDPOINT' || variable.startsWith('OTEL_');
  // Migrations and backups send no telemetry.
  return variable.startsWith('OTEL_') && !['migrate', 'backup'].includes(name);
}

/** Returns a fault for each address of one of our services that is no Service of the overlay. */
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

/** Returns a fault for each server in the settings that the network policies keep from a program that uses it. */
export async function reachFindings(programs: Program[], all: Manifest[]): Promise<Finding[]> {
  const refused = new Map<string, { programs: Set<string>; finding: (names: string) => Finding }>();
  for (const { name, object, values } of programs) {
    const read = await variablesRead(name);
    for (const [variable, value] of Object.entries(values)) {
      const network = SETTINGS.find(([pattern]) => pattern.test(variable))?.[1];
      if (!network || !value || !(read.has(variable) || usesToo(name, variable))) continue;
      for (const server of serversIn(value)) {
        const finding = findingOf(server, { variable, network }, object, all);
        if (!finding) continue;
        const key = `${variable} ${server.host}:${server.port}`;
        if (!refused.has(key)) refused.set(key, { programs: new Set(), finding });
        refused.get(key)!.programs.add(name);
      }
    }
  }
  return [...refused.values()].map(({ programs: names, finding }) => finding(listed([...names])));
}

function findingOf(
  server: Server,
  { variable, network }: { variable: string; network: string },
  object: Manifest,
  all: Manifest[],
): ((names: string) => Finding) | undefined {
  const pod = podOf(object)!;
  const { namespace } = object.metadata;
  const { to, port } = destinationOf(server, namespace, all);
  const from = { labels: pod.metadata?.labels ?? {}, namespace };
  if (mayReach(from, to, port, all)) return undefined;
  const where = `${server.host}:${server.port}`;
  const advice = `allow it in networks.${network} (policy to-${network})`;
  // A policy names the pods' port, which may differ from the port of a Service outside the overlay.
  if (!('ip' in to || 'pod' in to || 'host' in to))
    return names =>
      note(
        `${variable}: no network policy lets ${names} call port ${port} of ${server.host}: ${advice}, unless its pods have another port.`,
      );
  const sentence = (names: string) => `${variable}: the network policies do not let ${names} reach ${where}: ${advice}`;
  const others = all.filter(({ apiVersion, kind }) => kind.endsWith('NetworkPolicy') && !apiVersion.includes('k8s.io'));
  return others.length > 0
    ? names => note(`${sentence(names)}, unless ${inWords(others[0]!)} does.`)
    : names => fault(`${sentence(names)}.`);
}

/** Returns the end of a connection to a server. A Service of the overlay leads to its pods and their port. */
function destinationOf(
  { host, port }: Server,
  own: string | undefined,
  all: Manifest[],
): { to: Destination; port: number } {
  if (isIP(host)) return { to: { ip: host }, port };
  const named = serviceIn(host, own, all);
  if (!named) return { to: { host }, port };
  const { name, namespace } = named;
  const service = find(all, 'Service', name, namespace);
  const pods = all.filter(({ metadata }) => metadata.namespace === namespace).flatMap(each => podOf(each) ?? []);
  const pod =
    service && pods.find(({ metadata }) => matches({ matchLabels: service.spec.selector }, metadata?.labels ?? {}));
  if (!pod) return { to: { namespace }, port };
  const { targetPort = port } = service.spec.ports.find((each: Part) => each.port === port) ?? {};
  const ports: Part[] = pod.spec.containers.flatMap((each: Part) => each.ports ?? []);
  const numbered = ports.find(each => each.name === targetPort)?.containerPort ?? targetPort;
  return { to: { pod, namespace }, port: numbered };
}

/** Returns the Service in a name of the cluster's DNS, also of one of its pods; undefined for another name. */
function serviceIn(host: string, own: string | undefined, all: Manifest[]) {
  const [, name, namespace] = /^(?:[^.]+\.)?([^.]+)\.([^.]+)\.svc(?:\.cluster\.local)?\.?$/.exec(host) ?? [];
  if (name) return { name, namespace };
  const parts = host.split('.');
  const last = parts.at(-1)!;
  const isOwn = parts.length === 1 || (parts.length === 2 && find(all, 'Service', last, own) !== undefined);
  return isOwn ? { name: last, namespace: own } : undefined;
}
