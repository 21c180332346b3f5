import type { Manifest } from '@recording-request/k8s/manifests';
import type { Product } from './product.ts';

/**
 * Copies the Secrets of an installation to another namespace, as an operator does: backups and charts do not contain
 * them.
 */
export async function secretsFor(product: Product, namespace: string): Promise<Manifest[]> {
  const { items } = JSON.parse(await product.in(['get', 'secrets', '--output=json']));
  return items.map(({ apiVersion, kind, type, data, metadata }: Manifest & { type: string; data: object }) => ({
    ...{ apiVersion, kind, type, data },
    metadata: { name: metadata.name, namespace },
  }));
}
