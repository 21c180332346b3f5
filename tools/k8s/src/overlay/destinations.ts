import { isIP } from 'node:net';
import { type Manifest, podOf } from '../manifests.ts';
import { find, type Part } from './finding.ts';
import { matches } from './names.ts';
import type { Destination } from './reach.ts';

/**
 * Returns the destination of a connection to a server. For a Service of the overlay, this is its pods and their port.
 */
export function destinationOf(
  { host, port }: { host: string; port: number },
  own: string | undefined,
  all: Manifest[],
): { to: Destination; port: number } {
  if (isIP(host)) return { to: { ip: host }, port };
  const named = serviceIn(host, own, all);
  const [, maybe] = /^[^.]+\.([^.]+)$/.exec(host) ?? [];
  if (!named) return { to: { host, namespace: maybe }, port };
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

/**
 * Returns the Service in a DNS name of the cluster: the name of the Service or of one of its pods. Returns undefined
 * for other names.
 */
function serviceIn(host: string, own: string | undefined, all: Manifest[]) {
  const [, name, namespace] = /^(?:[^.]+\.)?([^.]+)\.([^.]+)\.svc(?:\.cluster\.local)?\.?$/.exec(host) ?? [];
  if (name) return { name, namespace };
  const parts = host.split('.');
  const last = parts.at(-1)!;
  const isOwn = parts.length === 1 || (parts.length === 2 && find(all, 'Service', last, own) !== undefined);
  return isOwn ? { name: last, namespace: own } : undefined;
}
