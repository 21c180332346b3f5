import { readFile, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Part } from './finding.ts';

const FILES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** A kustomization of the operator, with the facts about the kustomizations that include it. */
export interface Kustomization {
  folder: string;
  /** The path of the file, relative to the checked folder or to a folder around it. */
  file: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: kustomize checks the fields.
  fields: any;
  /** The resources that exist when its patches apply: local folders and files as absolute paths, and remote ones. */
  resources: string[];
  /** The components that apply before its patches. */
  components: string[];
  /** Its generators of ConfigMaps and Secrets, and the generators of the kustomization that includes it. */
  generated: Part[];
}

/**
 * Returns the kustomization of a folder, and all local kustomizations that it includes. Only kustomize reads the remote
 * ones.
 */
export async function readKustomizations(root: string, within = root): Promise<Kustomization[]> {
  const seen = new Set<string>();
  return await visit(root, { resources: [], components: [], generated: [] });

  async function visit(
    folder: string,
    before: Pick<Kustomization, 'resources' | 'components' | 'generated'>,
  ): Promise<Kustomization[]> {
    const file = await firstFile(folder);
    if (!file || seen.has(folder)) return [];
    seen.add(folder);
    const text = await readFile(file, 'utf8');
    const [document] = parseAllDocuments(text);
    const fields = document?.toJS() ?? {};
    const paths = (list: string[] = []) => list.map(each => (isRemote(each) ? each : resolve(folder, each)));
    const own = paths(fields.resources);
    const resources = [...before.resources, ...own];
    const generated = [
      ...before.generated,
      ...(fields.configMapGenerator ?? []).map((each: Part) => ({ ...each, kind: 'ConfigMap' })),
      ...(fields.secretGenerator ?? []).map((each: Part) => ({ ...each, kind: 'Secret' })),
    ];
    const found: Kustomization[] = [];
    // A resource cannot change objects of the kustomization that includes it; a component can.
    for (const each of own) found.push(...(await visit(each, { resources: [], components: [], generated: [] })));
    const components = [...before.components];
    for (const each of paths(fields.components)) {
      found.push(...(await visit(each, { resources, components: [...components], generated })));
      components.push(each);
    }
    const name = relative(within, file);
    return [...found, { folder, file: name, text, fields, resources, components, generated }];
  }
}

/** Returns whether kustomize downloads the resource: a URL, or a repository such as github.com/owner/name. */
export const isRemote = (path: string): boolean =>
  /^[a-z+]+:\/\/|^git@|^git::|\?ref=|\.git(?:\/|$)/.test(path) || /^[\w-]+\.[a-z]{2,}\/[^/]+\/[^/]+/.test(path);

async function firstFile(folder: string): Promise<string | undefined> {
  for (const name of FILES) {
    const file = join(folder, name);
    if (
      await stat(file).then(
        found => found.isFile(),
        () => false,
      )
    )
      return file;
  }
  return undefined;
}

/** Returns the replacements of the kustomization in `folder`. Reads the replacements that it names by file (`path`). */
export async function readReplacements(replacements: Part[] = [], folder: string): Promise<Part[]> {
  const lists = await Promise.all(
    replacements.map(async each => {
      if (!each.path) return [each];
      const [document] = parseAllDocuments(await readFile(join(folder, each.path), 'utf8'));
      return [document?.toJS() ?? []].flat();
    }),
  );
  return lists.flat();
}
