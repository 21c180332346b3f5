import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Incident } from '@recording-request/fault-test/harness/gateway-client';
import type { Place } from '@recording-request/k8s/lab/place';
import type { ServiceName } from '@recording-request/stack/service-plan';
import type { Product } from './product.ts';

/** Returns the prefix of a pod's name that all pods of the same Deployment and version share. */
export const prefixOf = (podName: string): string => podName.slice(0, podName.lastIndexOf('-') + 1);

/** Returns the name prefixes of a service's running pods. */
export const prefixesOf = async (product: Product, service: ServiceName): Promise<string[]> => [
  ...new Set((await product.pods(service)).map(({ name }) => prefixOf(name))),
];

type Logs = Pick<Place, 'logs'>;

/** Yields the logs of pods whose names begin with one of `prefixes`, including deleted ones. */
async function* logsOf({ logs }: Logs, namespace: string, prefixes: string[]): AsyncGenerator<string> {
  const folder = join(logs, 'pods');
  for (const name of await readdir(folder, { recursive: true }))
    if (name.endsWith('.log') && prefixes.some(prefix => name.startsWith(`${namespace}_${prefix}`)))
      yield await readFile(join(folder, name), 'utf8');
}

/**
 * Returns whether the log of a pod with one of the name `prefixes` contains the request. Returns false without a
 * request id.
 */
export async function isAnsweredBy(
  place: Logs,
  namespace: string,
  prefixes: string[],
  { requestId }: Incident,
): Promise<boolean> {
  if (!requestId) return false;
  for await (const log of logsOf(place, namespace, prefixes)) if (log.includes(`"${requestId}"`)) return true;
  return false;
}

/** The maximum time from the last request that a pod interrupted to the last line of its log. */
const ENDING_MS = 10_000;

/**
 * Returns whether a pod with one of the name `prefixes` ended at the time of the incident. A pod does not log the
 * requests that it interrupts when it ends.
 */
export async function isCutBy(place: Logs, namespace: string, prefixes: string[], { at }: Incident): Promise<boolean> {
  for await (const log of logsOf(place, namespace, prefixes)) {
    const last = log.trimEnd().split('\n').at(-1)!;
    const endedMs = Date.parse(last.slice(0, last.indexOf(' '))) - at.getTime();
    if (endedMs >= 0 && endedMs <= ENDING_MS) return true;
  }
  return false;
}
