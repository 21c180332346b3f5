import { distance } from '@recording-request/admin/unknown-settings';
import type { Manifest } from '../manifests.ts';

// biome-ignore lint/suspicious/noExplicitAny: a container, a volume or another part of an object; the schemas check its shape.
export type Part = any;

/** One sentence about an overlay: the change to make, or for a note, the fact to keep in mind. */
export interface Finding {
  text: string;
  isNote: boolean;
}

export const fault = (text: string): Finding => ({ text, isNote: false });
export const note = (text: string): Finding => ({ text, isNote: true });

/** Returns the kind and name of an object, for a sentence, without the hash that kustomize or Helm adds to a ConfigMap. */
export const inWords = ({ kind, metadata }: Manifest): string =>
  `${kind} ${kind === 'ConfigMap' ? metadata.name.replace(/-[0-9a-z]{10}$/, '') : metadata.name}`;

/** Returns words as “a, b and c”. */
export const listed = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words.join();

/** Returns the object with this kind and name that a reference in `namespace` means. */
export const find = (all: Manifest[], kind: string, name: string, namespace?: string): Manifest | undefined =>
  all.find(each => each.kind === kind && each.metadata.name === name && each.metadata.namespace === namespace);

const NEAR = 2;

/** Returns words for the most similar name, such as “; a similar one is gateway”; empty without one. */
export function similar(name: string, names: Iterable<string>): string {
  const near = [...names].filter(each => each !== name && distance(each, name) <= NEAR);
  return near.length > 0 ? `; a similar one is ${near[0]}` : '';
}

/** Returns whether Helm rendered the objects. */
export const isOfChart = (all: Manifest[]): boolean =>
  all.some(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'Helm');
