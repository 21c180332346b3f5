import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { stringify } from 'yaml';
import { type Manifest, parse, podOf, render } from '../manifests.ts';
import { ROOT } from '../repository.ts';
import { type Finding, fault, note, type Part, similar } from './finding.ts';
import { type Kustomization, readKustomizations, readReplacements } from './kustomization.ts';

/** The fields of a target. kustomize reads each field as a regular expression for the complete value. */
interface Target {
  group?: string;
  version?: string;
  kind?: string;
  name?: string;
  namespace?: string;
}

/**
 * Returns a fault for each patch, replacement or image of the kustomizations in `folder` that matches no object, because
 * kustomize ignores it. The kustomizations of this repository and their unchanged copies need no check. Names files by their paths from `within`.
 */
export async function targetFindings(
  tools: { kustomize: string },
  folder: string,
  within = folder,
): Promise<Finding[]> {
  const all = await readKustomizations(folder, within);
  const texts = await shippedKustomizations();
  const own = all.filter(each => each.folder === folder || !(isShipped(each.folder) || texts.has(each.text)));
  const shipped = await shippedObjects();
  const found = await Promise.all(own.map(each => findingsOf(tools, each, shipped)));
  return found.flat();
}

const isShipped = (folder: string): boolean => {
  const path = relative(join(ROOT, 'deploy/k8s'), folder);
  return !path.startsWith('..') && !path.startsWith('overlays');
};

async function findingsOf(
  tools: { kustomize: string },
  kustomization: Kustomization,
  shipped: Manifest[],
): Promise<Finding[]> {
  const { file, fields, folder } = kustomization;
  const patches: Target[] = (fields.patches ?? []).flatMap(({ target }: Part) => target ?? []);
  const replacements = (await readReplacements(fields.replacements, folder)).flatMap(({ targets = [] }) =>
    targets.map(({ select }: Part): Target => select),
  );
  const images: Part[] = fields.images ?? [];
  if (patches.length + replacements.length + images.length === 0) return [];
  const all = await objectsBefore(tools, kustomization).catch(() => undefined);
  if (!all)
    return [note(`${file}: its patches are unchecked, because kustomize cannot render the objects before them.`)];
  return [
    ...patches.flatMap(target => targetFault(target, all, words => fault(`${file}: the patch of ${words}.`))),
    ...replacements
      // required.yaml also names objects of components that this overlay may not use.
      .filter(target => shipped.every(object => !matchesTarget(target, object)))
      .flatMap(target => targetFault(target, all, words => fault(`${file}: the replacement in ${words}.`))),
    ...images.flatMap(image => imageFault(image, all, file)),
  ];
}

function targetFault(target: Target, all: Manifest[], inFile: (words: string) => Finding): Finding[] {
  const wanted = Object.entries(target)
    .filter(([field]) => ['group', 'version', 'kind', 'name', 'namespace'].includes(field))
    .map(([, text]) => text);
  const words = wanted.join(' ') || 'every object';
  const ofKind = all.filter(object => matchesTarget({ ...target, name: undefined }, object));
  const names = ofKind.map(({ metadata }) => metadata.name);
  if (!all.some(object => matchesTarget(target, object))) {
    const near = similar(target.name ?? '', names) || similar(target.kind ?? '', new Set(all.map(({ kind }) => kind)));
    return [inFile(`${words} matches no object, so it does nothing: correct it or remove it${near}`)];
  }
  const parts = /^[\w.-]+(?:\|[\w.-]+)+$/.test(target.name ?? '') ? target.name!.split('|') : [];
  return parts
    .filter(name => !ofKind.some(object => matchesTarget({ name }, object)))
    .map(name => inFile(`${words} matches no object with the name ${name}: correct the name${similar(name, names)}`));
}

function matchesTarget({ group, version, kind, name }: Target, object: Manifest): boolean {
  const [first = '', second] = object.apiVersion.split('/');
  const fits = (pattern: string | undefined, text: string) => !pattern || new RegExp(`^(?:${pattern})$`).test(text);
  const { name: own } = object.metadata;
  return (
    fits(group, second === undefined ? '' : first) &&
    fits(version, second ?? first) &&
    fits(kind, object.kind) &&
    // kustomize compares the name without the hash that it adds.
    (fits(name, own) || fits(name, own.replace(/-[0-9a-z]{10}$/, '')))
  );
}

function imageFault({ name }: { name: string }, all: Manifest[], file: string): Finding[] {
  const used: string[] = all.flatMap(object =>
    (podOf(object)?.spec.containers ?? []).flatMap(({ image }: Part) => image?.replace(/[@:][^/]*$/, '') ?? []),
  );
  return used.includes(name)
    ? []
    : [fault(`${file}: images names ${name}, which no container uses: correct the name${similar(name, used)}.`)];
}

/** Returns the objects that the patches of a kustomization may match. */
async function objectsBefore(
  tools: { kustomize: string },
  { resources, components, generated }: Kustomization,
): Promise<Manifest[]> {
  const made = generated.map(({ kind, name }) => ({ apiVersion: 'v1', kind, metadata: { name } }));
  if (resources.length + components.length === 0) return made;
  const folder = await mkdtemp(join(tmpdir(), 'before-'));
  try {
    // kustomize accepts no absolute path.
    const near = (paths: string[]) => paths.map(path => (isAbsolute(path) ? relative(folder, path) : path));
    await writeFile(
      join(folder, 'kustomization.yaml'),
      stringify({ resources: near(resources), components: near(components) }),
    );
    const rendered = parse(await render(tools, folder, ['--load-restrictor', 'LoadRestrictionsNone']));
    return [...rendered.filter(Boolean), ...made];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the texts of the kustomizations of the base and of all components. */
async function shippedKustomizations(): Promise<Set<string>> {
  const files = await Array.fromAsync(
    glob('deploy/k8s/**/kustomization.yaml', { cwd: ROOT, exclude: ['deploy/k8s/overlays/**'] }),
  );
  return new Set(await Promise.all(files.map(file => readFile(join(ROOT, file), 'utf8'))));
}

/** Returns the objects in the files of the base and of all components. */
async function shippedObjects(): Promise<Manifest[]> {
  const files = await Array.fromAsync(glob('deploy/k8s/**/*.yaml', { cwd: ROOT, exclude: ['deploy/k8s/overlays/**'] }));
  const texts = await Promise.all(files.map(file => readFile(join(ROOT, file), 'utf8')));
  return texts.flatMap(text => parse(text)).filter(object => object?.kind && object.metadata?.name);
}
