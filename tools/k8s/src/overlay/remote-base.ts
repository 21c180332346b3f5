import { cp, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { stringify } from 'yaml';
import { ROOT } from '../repository.ts';
import { type Finding, note } from './finding.ts';
import { isRemote, type Kustomization, readKustomizations } from './kustomization.ts';

const SHIPPED = join(ROOT, 'deploy/k8s');

/**
 * Returns folders that render without a network. If an overlay refers to deploy/k8s in a Git repository, returns a copy
 * of its folder in `scratch` that refers to the manifests of this version, and adds a note about this.
 */
export async function withShippedBase(
  folders: string[],
  scratch: string,
): Promise<{ folders: string[]; notes: Finding[] }> {
  // Ignores unreadable kustomizations, because kustomize reports them.
  const all = (await Promise.all(folders.map(folder => readKustomizations(folder).catch(() => [])))).flat();
  const own = all.filter(({ folder }) => relative(SHIPPED, folder).startsWith('..'));
  const replaced = new Map<string, string>();
  for (const { fields } of own)
    for (const each of [fields.resources ?? [], fields.components ?? []].flat()) {
      const path = await shippedPath(each);
      if (path) replaced.set(each, path);
    }
  if (replaced.size === 0) return { folders, notes: [] };
  // The copies have the same places below `scratch`, so that relative paths stay valid.
  const copyOf = (folder: string) => join(scratch, folder);
  for (const { folder } of own) await cp(folder, copyOf(folder), { recursive: true });
  for (const each of own) await rewrite(each, copyOf(each.folder), replaced);
  await mkdir(dirname(copyOf(SHIPPED)), { recursive: true });
  await symlink(SHIPPED, copyOf(SHIPPED));
  return {
    folders: folders.map(copyOf),
    notes: [...new Set([...replaced.keys()].map(repositoryOf))].map(each =>
      note(`${each} is checked as the manifests of this version: use the check of the version that it names.`),
    ),
  };
}

const repositoryOf = (resource: string): string => resource.replace(/(\/deploy\/k8s)\/[^?]+/, '$1');

/** Returns the folder or file of this version that replaces a remote resource; undefined for other resources. */
async function shippedPath(resource: string): Promise<string | undefined> {
  const [, path] = /\/deploy\/k8s\/([^?]+?)\/?(?:\?.*)?$/.exec(isRemote(resource) ? resource : '') ?? [];
  if (!path) return undefined;
  const shipped = join(SHIPPED, path);
  return await stat(shipped).then(
    () => shipped,
    () => undefined,
  );
}

async function rewrite({ fields, file }: Kustomization, copy: string, replaced: Map<string, string>): Promise<void> {
  const near = (paths: string[]) =>
    paths.map(path => (replaced.has(path) ? relative(copy, replaced.get(path)!) : path));
  const lists = ['resources', 'components'].filter(name => fields[name]);
  const changed = { ...fields, ...Object.fromEntries(lists.map(name => [name, near(fields[name])])) };
  await writeFile(join(copy, file.split('/').at(-1)!), stringify(changed));
}
