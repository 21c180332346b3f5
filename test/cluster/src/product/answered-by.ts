import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Incident } from '@recording-request/fault-test/harness/gateway-client';
import type { Place } from '@recording-request/k8s/lab/place';
import type { Product } from './product.ts';

/** What the names of a Deployment's pods of one version begin with: all but the part that each has for itself. */
export const prefixOf = (podName: string): string => podName.slice(0, podName.lastIndexOf('-') + 1);

/** The prefixes of the gateways that run. */
export const gatewaysOf = async (product: Product): Promise<string[]> => [
  ...new Set((await product.pods('gateway')).map(({ name }) => prefixOf(name))),
];

/**
 * Whether a pod whose name begins with one of `prefixes` answered, as its log shows, also where the pod is gone. Nobody answered where there is no
 * answer, or no line of it in such a log.
 */
export async function isAnsweredBy(
  { logs }: Pick<Place, 'logs'>,
  namespace: string,
  prefixes: string[],
  { requestId }: Incident,
): Promise<boolean> {
  if (!requestId) return false;
  const folder = join(logs, 'pods');
  for (const name of await readdir(folder, { recursive: true })) {
    const isOne = name.endsWith('.log') && prefixes.some(prefix => name.startsWith(`${namespace}_${prefix}`));
    if (isOne && (await readFile(join(folder, name), 'utf8')).includes(`"${requestId}"`)) return true;
  }
  return false;
}
