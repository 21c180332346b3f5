import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '../manifests.ts';
import { type Finding, fault, inWords } from './finding.ts';

/** The objects of one folder. */
export interface FolderObjects {
  /** The folder's name, for a sentence. */
  name: string;
  objects: Manifest[];
}

/**
 * Returns the objects of all folders, each once, and a fault for each pair of folders with different versions of an
 * object: the last applied one would win. Equal objects in two folders are not a fault.
 */
export function joinFolders(folders: FolderObjects[]): { objects: Manifest[]; findings: Finding[] } {
  const known = new Map<string, { name: string; object: Manifest }>();
  const pairs = new Map<string, { first: string; second: string; object: Manifest; count: number }>();
  for (const { name, objects } of folders)
    for (const object of objects) {
      const id = [object.apiVersion, object.kind, object.metadata.namespace, object.metadata.name].join(' ');
      const before = known.get(id);
      if (!before) known.set(id, { name, object });
      else if (before.name !== name && !isDeepStrictEqual(before.object, object)) {
        const pair = pairs.get(`${before.name} ${name}`) ?? { first: before.name, second: name, object, count: 0 };
        pairs.set(`${before.name} ${name}`, { ...pair, count: pair.count + 1 });
      }
    }
  return { objects: [...known.values()].map(({ object }) => object), findings: [...pairs.values()].map(inOne) };
}

function inOne({ first, second, object, count }: { first: string; second: string; object: Manifest; count: number }) {
  const others = count > 1 ? ` and ${count - 1} other object${count > 2 ? 's' : ''} are` : ' is';
  return fault(
    `${inWords(object)}${others} in ${first} and in ${second}, with different contents: check only the folders that you apply, and keep each object in one of them.`,
  );
}
